import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompressionType, compressionRegistry } from 'apache-arrow'
import { fromLz4Frame } from '#lib/client/lz4.js'
import { BareEngine, writeTables } from './bare-engine.js'
import { NextEngine } from './next-engine.js'
import { serve } from './service.js'
import { Statements } from './statements.js'
import { TABLES } from './tables.js'
import { type Answerers, differencesOf, rightOf } from './ways.js'

const SEED = Number(process.env.FOLDGATE_SEED ?? 20261127)
const MINUTES = Number(process.env.FOLDGATE_ANSWERS_MINUTES ?? 2)

describe('answers', function () {
  this.timeout(MINUTES * 60_000 + 300_000)
  let folder: string
  let who: Answerers
  before(async () => {
    compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: fromLz4Frame })
    folder = await mkdtemp(join(tmpdir(), 'foldgate-answers-'))
    await writeTables(folder, TABLES)
    const service = await serve(folder, TABLES)
    const bare = await BareEngine.open(folder, TABLES, service.sealed)
    await bare.read('sealed')
    const next = await NextEngine.open(folder, TABLES)
    if (!next) console.log('Left out: answers of the next version of DuckDB, which Python cannot get.')
    who = { service, bare, next }
  })
  after(async () => {
    await who?.next?.close()
    who?.bare.close()
    await who?.service.close()
    await rm(folder, { recursive: true, force: true })
  })

  it(`are the same by every way of answering (seed ${SEED})`, async () => {
    const statements = new Statements(SEED)
    const until = Date.now() + MINUTES * 60_000
    const wrong: string[] = []
    /** Statements that were refused in some way, by what callers are told. */
    const refused = new Map<string, string[]>()
    let [asked, none] = [0, 0]
    while (Date.now() < until) {
      const statement = statements.next()
      asked += 1
      const right = await rightOf(who.bare, statement)
      if (right === null) {
        none += 1
        continue
      }
      const differences = await differencesOf(statement, right, who)
      const silent = differences.filter(({ isLoud }) => !isLoud)
      const [loud] = differences.filter(({ isLoud }) => isLoud)
      if (silent.length > 0)
        wrong.push([`${asked}: ${statement.sql}`, ...silent.map(({ way, what }) => `${way}: ${what}`)].join('\n  '))
      if (loud) refused.set(loud.what, [...(refused.get(loud.what) ?? []), statement.sql])
    }
    console.log(`${asked} statements, of which ${none} have no right answer to compare with`)
    for (const [what, all] of refused) console.log(`${all.length} × ${what}: ${all[0]}`)
    const loud = [...refused.values()].flat().length
    assert.deepEqual(wrong, [])
    assert.ok(none + loud < asked / 5, `${none} have no answer, ${loud} were refused`)
  })
})
