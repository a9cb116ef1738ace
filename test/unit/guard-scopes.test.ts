import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openGuard } from '#lib/duckdb/guard.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { GUARD } from './guard-probe.js'

const QUERIES = 1500
const SEED = 20_250_518

/** Generates random queries over names of common table expressions, of a relation, and of neither. */
class RandomQuery {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  write(depth: number): string {
    if (depth <= 0) return this.#oneOf(5) ? 'SELECT 1 AS x' : this.#select(0)
    const form = this.#oneOf(10)
    if (form < 4) return this.#with(depth) + this.#select(depth - 1)
    if (form < 6) return `(${this.write(depth - 1)}) UNION ALL (${this.write(depth - 1)})`
    if (form < 7) return `(${this.#with(depth)}${this.#select(depth - 1)}) UNION ALL ${this.#select(depth - 1)}`
    return this.#select(depth)
  }

  #with(depth: number): string {
    const bodies = new Map<string, string>()
    for (let count = this.#oneOf(3) + 1; count > 0; count--) {
      const name = this.#pick(['a', 'b', 'A', '"B"', 'unknown', 'fold_risks'])
      const recursive = () => `${this.write(depth - 1)} UNION ${this.#pick(['', 'ALL '])}${this.#select(depth - 1)}`
      const body = this.#oneOf(2) ? recursive() : this.write(depth - 1)
      bodies.set(name.replaceAll('"', '').toLowerCase(), `${name} AS (${body})`)
    }
    return `WITH ${this.#pick(['', 'RECURSIVE '])}${[...bodies.values()].join(', ')} `
  }

  #select(depth: number): string {
    const where = depth > 0 && this.#oneOf(5) === 0 ? ` WHERE EXISTS (${this.write(depth - 1)})` : ''
    return `SELECT 1 AS x FROM ${this.#source(depth)}${where}`
  }

  #source(depth: number): string {
    const name = this.#pick(['fold_risks', 'fold_risks', 'FOLD_RISKS', 'a', 'A', 'b', '"B"', 'unknown'])
    const form = depth > 0 ? this.#oneOf(10) : 0
    if (form < 6) return name
    if (form < 8) return `(${this.write(depth - 1)}) AS s`
    return `${name} AS j, LATERAL (${this.write(depth - 1)}) AS l`
  }

  #pick(names: readonly string[]): string {
    return names[this.#oneOf(names.length)] as string
  }

  #oneOf(count: number): number {
    // A linear congruential generator: the same queries in every run.
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (this.#state >> 16) % count
  }
}

describe('guard over random scopes', () => {
  it('passes no name that the engine would look up outside the catalogue', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-guard-')))
    const sandbox = await openSandbox()
    const guard = openGuard({ script: GUARD, relations: ['fold_risks'], folder, sandbox, waitMs: QUERIES * 1000 })
    const asker = { organization: 'north', ownerId: 'ada', signal: new AbortController().signal }
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    await connection.run('CREATE TABLE fold_risks (x INTEGER)')
    const random = new RandomQuery(SEED)
    const leaks: string[] = []
    let passed = 0
    try {
      for (let count = 0; count < QUERIES; count++) {
        const sql = random.write(2 + (count % 2))
        const checked = await guard.check(sql, asker).catch(() => null)
        if (!checked) continue
        passed += 1
        await connection
          .prepare(sql)
          .then(prepared => prepared.destroySync())
          .catch(
            (cause: Error) => /does not exist|Circular/.test(cause.message) && leaks.push(`${sql}: ${cause.message}`),
          )
      }
    } finally {
      instance.closeSync()
      await guard.close()
      await rm(folder, { recursive: true, force: true })
    }
    assert.deepEqual(leaks, [])
    assert.ok(passed > QUERIES / 10, `only ${passed} passed`)
  })
})
