import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directoryExports } from 'foldgate'
import { TestClock } from '../service/ports.js'
import { accessCases } from './cases/access.js'
import { answerCases } from './cases/answers.js'
import { describeCases } from './cases/describe.js'
import { envelopeCases } from './cases/envelope.js'
import { exportCases } from './cases/export.js'
import { limitCases } from './cases/limits.js'
import { listCases } from './cases/list.js'
import { queryCases } from './cases/query.js'
import { statementCases } from './cases/statements.js'
import { stateCases } from './cases/states.js'
import type { Case } from './entry/case.js'
import { ENTRIES } from './entry/entry.js'
import { judgeAnswer, RPC_ENTRIES } from './entry/frame.js'
import { comparable, judge } from './entry/judge.js'
import { ELSEWHERE, RULES } from './entry/rules.js'
import { Runner } from './entry/run.js'
import { World } from './entry/world.js'

/** Every case, by what it is about. */
const CASES: Record<string, Case[]> = {
  access: accessCases,
  'projects/list': listCases,
  'projects/describe': describeCases,
  'projects/query': queryCases,
  statements: statementCases,
  'projects/export': exportCases,
  states: stateCases,
  limits: limitCases,
}
const ALL = Object.values(CASES).flat()
const ENVELOPES = [...envelopeCases, ...answerCases]

describe('every entry point', () => {
  let world: World
  let runner: Runner
  before(async () => {
    world = await World.open()
    runner = new Runner(world, ALL)
  })
  after(async () => {
    runner.close()
    await world.close()
  })

  for (const entry of Object.keys(ENTRIES))
    describe(`answers alike: ${entry}`, () => {
      for (const [subject, cases] of Object.entries(CASES))
        describe(subject, () => {
          for (const one of cases)
            it(one.name, async () => {
              const { outcome, download } = await runner.at(entry, one)
              judge(one, outcome)
              if ('download' in one.expect) assert.equal(download, one.expect.download)
              const rest = await runner.at('REST', one)
              assert.deepEqual(comparable(outcome), comparable(rest.outcome))
            })
        })
    })

  for (const [entry, deliver] of Object.entries(RPC_ENTRIES))
    describe(`reads envelopes: ${entry}`, () => {
      for (const one of ENVELOPES.filter(({ only }) => !only || only.includes(entry)))
        it(one.name, async () => judgeAnswer(one, await deliver(world.sites.plain, one)))
    })
})

describe('the cases', () => {
  it('are many', () => assert.ok(ALL.length >= 150, String(ALL.length)))

  it('show every rule of the contract, but for those that another test shows', () => {
    const shown = new Set<string>([...ALL, ...ENVELOPES].flatMap(({ rules }) => rules))
    const missing = Object.keys(RULES).filter(rule => !shown.has(rule) && !(rule in ELSEWHERE))
    assert.deepEqual(missing, [])
    const twice = Object.keys(ELSEWHERE).filter(rule => shown.has(rule))
    assert.deepEqual(twice, [], 'calls show these after all')
  })

  it('leave the others to tests that are there', async () => {
    for (const { file, title } of Object.values(ELSEWHERE)) {
      const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
      assert.ok(text.includes(title), `${file}: ${title}`)
    }
  })
})

describe('an exported file', () => {
  it('leaves the storage about a day later, also after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const clock = new TestClock()
    const options = { retentionMs: 86_400_000, clock }
    const exportId = '66666666-6666-4666-8666-666666666666'
    const { signal } = new AbortController()
    const before = directoryExports(folder, options)
    const path = join(folder, 'made')
    await writeFile(path, 'PAR1')
    await before.put({ exportId, path, bytes: 4 }, signal)
    before.close()
    const after = directoryExports(folder, options)
    try {
      clock.advance(86_000_000)
      await after.sweep()
      assert.equal((await after.open(exportId, signal))?.bytes, 4)
      clock.advance(500_000)
      assert.equal(await after.open(exportId, signal), null)
      await after.sweep()
      clock.advance(-500_000)
      assert.equal(await after.open(exportId, signal), null)
    } finally {
      after.close()
      await rm(folder, { recursive: true })
    }
  })
})
