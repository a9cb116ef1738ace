import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ELSEWHERE } from '../conformance/entry/rules.js'
import { digestOf, type Green, greenOf, whyNot } from '../runner/digests.js'
import { allFiles, filesOf, type Suite } from '../runner/suite-files.js'
import { countsIn, failedFilesIn, type Outcome, ROOT, rerunFailed, runSuite } from '../runner/suite-process.js'
import { CHECKS, GROUPS, suitesNamed, TEST } from '../runner/suites.js'
import { closingLine, isGreen, tableOf } from '../runner/table.js'
import { filesOfRepository, readFromRoot } from './documents.js'

const RAN: Outcome = { passed: 3, failed: 0, skipped: 0, seconds: 1.4, printed: '', isBroken: false }
const SUITE: Suite = { name: 'a', files: [] }

describe('the suites', () => {
  const OTHERS = ['STORE', 'LAUNCHER', 'VENDOR', 'ENTRIES'].map(name => `FOLDGATE_TEST_${name}`)
  const first = [...TEST, ...CHECKS.filter(({ node, env }) => node === undefined && !OTHERS.some(name => env?.[name]))]

  it('contain every test file once, besides those that run on other versions, stores, launchers, vendors or at more entry points', () => {
    assert.deepEqual(first.flatMap(suite => filesOf(suite)).sort(), allFiles().sort())
  })

  it('name files that exist', () => {
    const all = allFiles()
    for (const suite of [...TEST, ...CHECKS, ...Object.values(GROUPS).flat()])
      for (const pattern of [...suite.files, ...(suite.except ?? [])])
        assert.ok(filesOf({ files: [pattern] }, all).length > 0, `${suite.name}: ${pattern}`)
  })

  it('have no hook outside a describe that runs for each test of all files', async () => {
    for (const file of await filesOfRepository('.test.ts'))
      assert.doesNotMatch(await readFromRoot(file), /^(before|after)Each\(/m, file)
  })

  it('are found by their names and those of groups, and all without a name', () => {
    assert.equal(suitesNamed([], CHECKS), CHECKS)
    assert.deepEqual(
      suitesNamed(['pages', 'engine-upgrade'], CHECKS)?.map(({ name }) => name),
      [
        'pages',
        'functions, types and statements',
        'hostile statements',
        'hostile values',
        'values and contracts',
        'readers',
        'engine',
        'answers',
      ],
    )
    assert.equal(suitesNamed(['pages', 'page'], CHECKS), null)
  })

  it('have in the group for a new engine whatever reads its functions, trees and answers', () => {
    const files = (GROUPS['engine-upgrade'] ?? []).flatMap(suite => filesOf(suite))
    assert.equal(new Set(files).size, files.length)
    for (const file of [
      'unit/guard-inventory.test.ts',
      'check/ahead/verdicts.test.ts',
      'check/hostile/fuzz.test.ts',
      'check/property/statements.test.ts',
      'check/answers/answers.test.ts',
      'check/readers/readers.test.ts',
      'types/parquet.test.ts',
      'conformance/sql.test.ts',
    ])
      assert.ok(files.includes(file), file)
  })

  it('run with every change of the library if a rule of the contract is left to a test of theirs', () => {
    for (const { file } of Object.values(ELSEWHERE)) {
      const suite = first.find(each => filesOf(each).includes(file))
      assert.ok(suite && !suite.needs && (suite.touchedBy ?? ['lib']).includes('lib'), file)
    }
  })

  it('are touched by what exists, and recorded only if something touches them', async () => {
    const touched = CHECKS.filter(({ touchedBy }) => touchedBy).map(suite => {
      const green = greenOf(suite, ROOT)
      for (const digest of [green?.all, green?.touchedBy]) assert.match(digest ?? '', /^[0-9a-f]{64}$/)
      return suite.name
    })
    const recorded = JSON.parse(await readFile(new URL('../runner/recorded.json', import.meta.url), 'utf8')) as object
    assert.deepEqual(
      Object.keys(recorded).filter(name => !touched.includes(name)),
      [],
    )
  })
})

describe('the digest of files', () => {
  it('changes with their content, their names and the version of Node, and with nothing else', async () => {
    const root = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    try {
      execFileSync('git', ['init', '--quiet'], { cwd: root })
      const digest = (version?: string) => digestOf(['a', 'b.ts'], root, version)
      assert.throws(() => digest(), /no file of the repository is in a/)
      execFileSync('mkdir', ['a'], { cwd: root })
      for (const [name, text] of [
        ['a/one.ts', '1'],
        ['b.ts', '2'],
        ['.gitignore', '*.log'],
        ['a/left.log', ''],
      ] as const)
        await writeFile(join(root, name), text)
      const before = digest()
      await writeFile(join(root, 'other.ts'), '3')
      await writeFile(join(root, 'a/left.log'), '4')
      assert.equal(digest(), before)
      await writeFile(join(root, 'a/two.ts'), '')
      const named = digest()
      await writeFile(join(root, 'a/one.ts'), '5')
      assert.equal(new Set([before, named, digest(), digest('24.1.0'), digest('24.2.0')]).size, 5)
    } finally {
      await rm(root, { recursive: true })
    }
  })
})

describe('a suite that was green', () => {
  const last: Green = { all: 'i', touchedBy: 't', at: '2026-01-01T00:00:00Z' }
  const why = (changed: Partial<Green>) => whyNot({ ...last, at: '2026-01-01T23:59:59Z', ...changed }, last)

  it('is left out while nothing has changed, at whatever time', () => {
    assert.match(why({ at: '2027-01-01T00:00:00Z' }) ?? '', /unchanged/)
  })

  it('is left out for a day while others than what touches it have changed', () => {
    assert.match(why({ all: 'j' }) ?? '', /within a day/)
    assert.equal(why({ all: 'j', at: '2026-01-02T00:00:00Z' }), null)
    assert.equal(why({ all: 'j', touchedBy: 'u' }), null)
  })

  it('runs when nothing is said to touch it, and when it was never green', () => {
    assert.equal(whyNot(null, last), null)
    assert.equal(whyNot(last, undefined), null)
    assert.equal(greenOf(SUITE, ROOT), null)
  })
})

describe('a run of suites', () => {
  it('reads the last line of a report', () => {
    assert.deepEqual(countsIn('1 passed, 2 failed\nsome\n4 passed, 0 failed, 5 skipped\n'), {
      passed: 4,
      failed: 0,
      skipped: 5,
    })
    assert.equal(countsIn('Error: it ended before 1 passed, 2 failed'), null)
  })

  it('fails when a test fails, or when a suite breaks off', () => {
    for (const bad of [{ failed: 1 }, { isBroken: true }]) {
      assert.equal(isGreen({ ...RAN, ...bad }, false), false)
      assert.equal(closingLine([RAN, { ...RAN, ...bad }], false), '6 passed, 1 failed')
    }
  })

  it('may lack what a suite needs, unless it has to be complete', () => {
    const lacking = [
      { ...RAN, skipped: 2 },
      { ...RAN, passed: 0, left: 'X is not set', isMissing: true },
    ]
    for (const outcome of lacking) {
      assert.deepEqual([isGreen(outcome, false), isGreen(outcome, true)], [true, false])
      assert.match(closingLine([outcome], true), / 1 failed/)
      assert.match(tableOf([[SUITE, outcome]], true), /needs/)
    }
    const unchanged = { ...RAN, passed: 0, left: 'unchanged since green', isMissing: false }
    assert.equal(isGreen(unchanged, true), true)
  })

  it('runs the files that failed once more, and tells it', async () => {
    const folder = await mkdtemp(join(ROOT, 'test', 'flaky-'))
    try {
      const name = relative(join(ROOT, 'test'), join(folder, 'flaky.test.ts'))
      const mark = join(folder, 'mark')
      const suite: Suite = { name: 'flaky', files: [name] }
      const write = (condition: string) =>
        writeFile(
          join(folder, 'flaky.test.ts'),
          `import { existsSync, writeFileSync } from 'node:fs'
           it('passes at the second try', () => {
             const isThere = existsSync(${JSON.stringify(mark)})
             writeFileSync(${JSON.stringify(mark)}, '')
             if (${condition}) throw new Error('it failed')
           })`,
        )
      await write('!isThere')
      const first = await runSuite(suite, null)
      assert.deepEqual([first.passed, first.failed, failedFilesIn(first.printed)], [0, 1, [name]])
      const second = await rerunFailed(suite, first, null)
      assert.deepEqual([second.passed, second.failed, second.passedAlone, isGreen(second, true)], [1, 0, 1, true])
      assert.match(tableOf([[suite, second]], true), /yes, 1 of its tests at the second try, alone/)

      await write('true')
      const stays = await rerunFailed(suite, first, null)
      assert.deepEqual([stays.passed, stays.failed, isGreen(stays, true)], [0, 1, false])
      for (const unfit of [
        { ...first, isBroken: true },
        { ...first, printed: ['a', 'b', 'c', 'd'].map(each => `failed in ${each}`).join('\n') },
      ])
        assert.equal(await rerunFailed(suite, unfit, null), unfit)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('ends with a row per suite', () => {
    const left = { ...RAN, left: 'unchanged since green', isMissing: false }
    assert.equal(
      tableOf(
        [
          [SUITE, RAN],
          [{ ...SUITE, name: 'other' }, left],
        ],
        true,
      ),
      [
        'suite  ran                        passed  failed  skipped  seconds',
        'a      yes                        3       0       0        1',
        'other  no: unchanged since green',
      ].join('\n'),
    )
  })
})
