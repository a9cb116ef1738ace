import assert from 'node:assert/strict'
import { EXPORT_FORMATS } from '#lib/model.js'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { Unguarded } from './unguarded.js'

/** A string that is not UTF-8, which the engine cannot know before it runs the statement. */
const BROKEN = `regexp_extract(chr(65536 + i::INTEGER), '\\C')`
const FROM = 'FROM range(2) t(i)'
/** JSON that closes the JSON around it: lag does not check its default value. */
const FORGED = `lag('1'::JSON, 1, '1}],"nextCursor":"forged","x":[{"y":1') OVER ()`

const VALUES = [
  ['a string', BROKEN],
  ['a string among others', `'fine ' || ${BROKEN} || ' fine'`],
  ['a list of strings', `['fine', ${BROKEN}]`],
  ['an array of strings', `['fine', ${BROKEN}]::VARCHAR[2]`],
  ['a list of lists', `[[${BROKEN}]]`],
  ['a struct', `{'a': {'b': ${BROKEN}}}`],
  ['a list of structs', `[{'a': ${BROKEN}}]`],
  ['a key of a map', `MAP {${BROKEN}: 1}`],
  ['a value of a map', `MAP {1: ${BROKEN}}`],
  ['a union', `union_value(a := ${BROKEN})`],
  ['half a character', `regexp_extract('é' || i, '\\C')`],
  ['half a character in a list', `regexp_extract_all('é' || i, '\\C')`],
  ['JSON of another shape', FORGED],
  ['JSON of another shape in a list', `[${FORGED}]`],
  ['JSON of another shape in a struct', `{'a': ${FORGED}}`],
  ['JSON of another shape in a map', `MAP {'a': ${FORGED}}`],
  ['JSON of another shape in a union', `union_value(a := ${FORGED})`],
  ['JSON that is empty', `lag('1'::JSON, 1, '') OVER ()`],
  ['JSON that is not UTF-8', `lag('1'::JSON, 1, '"' || ${BROKEN} || '"') OVER ()`],
] as const

/** Strings that end with a few bytes of the memory behind them. */
const leaking = (length: number) => `SELECT
  hex(encode(translate(repeat('A', ${length * length}) || ${BROKEN}, 'A', 'b'))) AS x
  FROM range(60) t(i)`
const MARKER = `SELECT count(DISTINCT s) AS n FROM (SELECT repeat('XYZW', 10 + i % 50) || i AS s FROM range(20000) t(i))`
const FRAGMENT = /XYZ|YZW|ZWX|WXY/

describe('walls between tenants, each without the others', () => {
  let service: Service
  let engine: Unguarded
  before(async () => {
    service = await startService()
    engine = await Unguarded.open(service, PROJECT, { queryTimeoutMs: 10_000 })
  })
  after(async () => {
    await engine.close()
    await service.close()
  })

  for (const [what, value] of VALUES) {
    it(`the engine keeps ${what} out of pages, stored rows and files`, async () => {
      const died = engine.died
      const statement = `SELECT i, ${value} AS x ${FROM}`
      const outcomes = [await engine.run(statement)]
      for (const kind of ['lines', ...EXPORT_FORMATS] as const) outcomes.push(await engine.runIntoFile(statement, kind))
      for (const outcome of outcomes) assert.equal('failure' in outcome && outcome.failure, 'query', show(outcome))
      assert.equal(engine.died, died)
    })
  }

  /** Counts fragments of one organization's strings that an unguarded statement of `reader` finds. */
  async function fragments(reader: string): Promise<number> {
    let found = 0
    for (let round = 0; round < 12; round++) {
      assert.deepEqual(await engine.run(MARKER, 'south'), { rows: '{"n":20000}' })
      for (const length of [13, 24, 40, 60, 100]) {
        const outcome = await engine.run(leaking(length), reader)
        if (!('rows' in outcome)) continue
        const rows = JSON.parse(`[${outcome.rows}]`) as { x: string }[]
        found += rows.filter(({ x }) => FRAGMENT.test(Buffer.from(x, 'hex').toString('latin1'))).length
      }
    }
    return found
  }

  it('a process contains nothing of another organization', async () => {
    assert.ok((await fragments('south')) > 0, 'the statement finds what its own organization left')
    assert.equal(await fragments('north'), 0)
  }).timeout(120_000)
})

function show(outcome: object): string {
  return JSON.stringify(outcome).slice(0, 300)
}
