import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { insteadOf } from '#lib/duckdb/child/guard/calls.js'
import { EXTRA_FUNCTIONS, insteadOfExtra } from '#lib/guard/extras.js'
import { ELSEWHERE, SUBSTITUTES, type Substitute, WITHOUT } from '../sql/substitutes.js'
import { GuardProbe } from './guard-probe.js'

const hintOf = (name: string) => insteadOfExtra(name) ?? insteadOf(name) ?? ''

/** The refused functions of a call. */
function refusedIn(call: string): string[] {
  const names = [...call.toLowerCase().matchAll(/[a-z_0-9]+(?=\()/g)].map(([name]) => name)
  return names.filter(name => hintOf(name) !== '')
}

describe('what a refusal says to write instead of a function', () => {
  const guard = new GuardProbe()
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    await guard.open()
    instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    connection = await instance.connect()
    await connection.run("SET TimeZone = 'UTC'")
  })
  after(async () => {
    instance.closeSync()
    await guard.close()
  })

  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
  /** Rows in which two expressions differ by more than the last digits of a DOUBLE. */
  async function differing(call: string, written: string, over: string): Promise<string[]> {
    const found = await rows(`SELECT ${call}, ${written} FROM ${over}`)
    assert.ok(found.length > 0, over)
    return found.filter(([a, b]) => !isAlike(a, b)).map(([a, b]) => `${JSON.stringify(a)}, ${JSON.stringify(b)}`)
  }

  for (const { calls, write, run = write, over, differs, differing: where = over } of SUBSTITUTES)
    it(`gives what ${calls.join(' and ')} give, or says how it differs: ${write}`.slice(0, 160), async () => {
      for (const call of calls) {
        const name = refusedIn(call)[0] ?? ''
        const hint = hintOf(name)
        assert.ok(hint.includes(write), `${name}: ${hint}`)
        assert.deepEqual(await differing(call, run, over), [])
        if (!differs) continue
        assert.match(hint, differs)
        assert.notDeepEqual(await differing(call, run, where), [])
      }
      const passes = await guard.verdict(`SELECT ${run} FROM ${over}`)
      assert.ok(!('rule' in passes), JSON.stringify(passes))
    })

  for (const [names, write, run, value] of ELSEWHERE)
    it(`runs, for what other databases call ${names}: ${write}`, async () => {
      for (const name of names.split(' ')) assert.ok(hintOf(name).includes(write), `${name}: ${hintOf(name)}`)
      assert.deepEqual(await rows(`SELECT ${run}`), [[value]])
      assert.ok(!('rule' in (await guard.verdict(`SELECT ${run}`))))
    })

  it('says so where nothing gives the same', () => {
    for (const [name, told] of Object.entries(WITHOUT)) assert.match(hintOf(name), told, name)
  })

  it('is compared for every function of which the engine is asked', async () => {
    const compared = new Set([
      ...SUBSTITUTES.flatMap(({ calls }: Substitute) => calls.flatMap(refusedIn)),
      ...Object.keys(WITHOUT),
    ])
    const missing = [...EXTRA_FUNCTIONS].filter(name => !compared.has(name))
    assert.deepEqual(missing, [])
    const functions = new Set(
      (await rows('SELECT DISTINCT lower(function_name) FROM duckdb_functions()')).map(([name]) => String(name)),
    )
    const elsewhere = ELSEWHERE.flatMap(([names]) => names.split(' '))
    assert.deepEqual(
      elsewhere.filter(name => functions.has(name)),
      [],
    )
  })

  for (const name of ['first', 'last', 'first_value', 'last_value'])
    it(`has the frame with which ${name} over a window has the same value`, async () => {
      const over = "(VALUES (1, 3, 'a'), (1, 1, 'b'), (2, 2, 'c'), (2, NULL, 'd')) t(g, i, v)"
      const { hint = '' } = await guard.refused(`SELECT ${name}(v ORDER BY i) OVER () FROM ${over}`)
      const frame = / OVER \(ORDER BY …(.*)\)\.$/.exec(hint)?.[1] ?? ''
      for (const partition of ['', 'PARTITION BY g '])
        assert.deepEqual(
          await differing(
            `${name}(v ORDER BY i) OVER (${partition})`,
            `${name}(v) OVER (${partition}ORDER BY i${frame})`,
            over,
          ),
          [],
        )
    })
})

function isAlike(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, at) => isAlike(each, b[at]))
  if (a === null || b === null || typeof a === 'object' || typeof b === 'object')
    return JSON.stringify(a) === JSON.stringify(b)
  const [x, y] = [Number(a), Number(b)]
  if (a === '' || b === '' || !Number.isFinite(x) || !Number.isFinite(y)) return String(a) === String(b)
  return (
    Math.abs(x - y) <= 1e-12 * Math.max(Math.abs(x), Math.abs(y)) &&
    (typeof a !== 'string' || typeof b !== 'string' || a === b)
  )
}
