import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directoryExports } from 'foldgate'
import { GROUP_VENDOR } from '../service/group.js'
import { TestClock } from '../service/ports.js'
import { casesOf, ENVELOPES } from './cases/all.js'
import { ELSEWHERE, RULES } from './entry/rules.js'
import { describeEntries } from './entry/suite.js'

const ALL = Object.values(casesOf(GROUP_VENDOR)).flat()

describe('every entry point', () => describeEntries())

describe('the cases', () => {
  it('are numerous', () => assert.ok(ALL.length >= 150, String(ALL.length)))

  it('cover every rule of the contract, except those that another test covers', () => {
    const shown = new Set<string>([...ALL, ...ENVELOPES].flatMap(({ rules }) => rules))
    const missing = Object.keys(RULES).filter(rule => !shown.has(rule) && !(rule in ELSEWHERE))
    assert.deepEqual(missing, [])
    const twice = Object.keys(ELSEWHERE).filter(rule => shown.has(rule))
    assert.deepEqual(twice, [], 'cases cover these rules after all')
  })

  it('leave the other rules to tests that exist', async () => {
    for (const { file, title } of Object.values(ELSEWHERE)) {
      const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
      assert.ok(text.includes(title), `${file}: ${title}`)
    }
  })
})

describe('an exported file', () => {
  it('is deleted from the storage after about a day, even after a restart', async () => {
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
