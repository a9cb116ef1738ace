/**
 * Runs suites, each in a process of its own and two at a time, and prints one table and one closing line.
 *
 *     tsx test/runner/run.ts test           what `npm test` runs
 *     tsx test/runner/run.ts check          what `npm run check` runs; with `--all` also what has not changed
 *     tsx test/runner/run.ts check NAME …   suites, and groups of suites, by name
 *
 * With `--record`, green suites that say what touches them are recorded. When CI is `true`, a suite that leaves out a test fails.
 * Files with failures run a second time, alone, at the end; the table says so.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Green, greenOf, type Recorded, whyNot } from './digests.js'
import { type FetchedNode, NodeVersions } from './nodes.js'
import type { Suite } from './suite-files.js'
import { type Outcome, ROOT, rerunFailed, runSuite } from './suite-process.js'
import { CHECKS, GROUPS, suitesNamed, TEST } from './suites.js'
import { closingLine, isGreen, tableOf } from './table.js'

const RECORDED = new URL('./recorded.json', import.meta.url)
const AT_ONCE = 2

const { positionals, values } = parseArgs({
  options: { all: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [which, ...names] = positionals
const suites = which === 'test' ? TEST : CHECKS
const chosen = suitesNamed(names, suites)
if ((which !== 'test' && which !== 'check') || chosen === null) {
  const known = [...suites.map(({ name }) => name), ...Object.keys(GROUPS)]
  process.stderr.write(`name test or check, and suites of it: ${known.join(', ')}\n`)
  process.exit(2)
}
const isComplete = process.env.CI === 'true' && which === 'check'
const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded
const nodes = new NodeVersions()
const outcomes = new Map<Suite, Outcome>()
/** The suites that this run finds green at once. */
const green: Record<string, Green> = {}

async function run(suite: Suite): Promise<void> {
  const outcome = await outcomeOf(suite)
  outcomes.set(suite, outcome)
  report(suite, outcome)
}

function report(suite: Suite, outcome: Outcome): void {
  if (!isGreen(outcome, isComplete) || which === 'test') process.stdout.write(outcome.printed)
  process.stdout.write(`${suite.name}: ${outcome.left ?? closingLine([outcome], isComplete)}\n`)
}

async function outcomeOf(suite: Suite): Promise<Outcome> {
  const { name, node, needs } = suite
  const left = (why: string, isMissing: boolean): Outcome => ({ ...NOTHING, left: why, isMissing })
  let fetched: FetchedNode | null
  try {
    fetched = node === undefined ? null : await nodes.newest(node)
  } catch (cause) {
    return left(`Node ${node} cannot be installed: ${String(cause).split('\n')[0]}`, true)
  }
  const isChosen = values.all || names.length > 0
  const now = greenOf(suite, ROOT, fetched?.version)
  const why = isChosen ? null : whyNot(now, recorded[name])
  if (why !== null) return left(why, false)
  if (needs !== undefined && !process.env[needs]) return left(`${needs} is not set`, true)
  const outcome = await runSuite(suite, fetched?.folder ?? null)
  if (now && isGreen(outcome, true)) green[name] = now
  return outcome
}

const NOTHING = { passed: 0, failed: 0, skipped: 0, seconds: 0, printed: '', isBroken: false }

const queue = chosen.filter(suite => !suite.alone)
const lane = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) await run(next)
}
await Promise.all(Array.from({ length: AT_ONCE }, lane))
for (const suite of chosen) if (suite.alone) await run(suite)
for (const [suite, first] of [...outcomes].filter(([, { failed }]) => failed > 0)) {
  const outcome = await rerunFailed(suite, first, suite.node ? (await nodes.newest(suite.node)).folder : null)
  outcomes.set(suite, outcome)
  if (outcome !== first) report(suite, outcome)
}

const told = chosen.map(suite => [suite, outcomes.get(suite) as Outcome] as const)
if (values.record) writeFileSync(RECORDED, `${JSON.stringify({ ...recorded, ...green }, null, 2)}\n`)
process.stdout.write(
  `${tableOf(told, isComplete)}\n${closingLine(
    told.map(([, outcome]) => outcome),
    isComplete,
  )}\n`,
)
process.exitCode = told.every(([, outcome]) => isGreen(outcome, isComplete)) ? 0 : 1
