import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { filesOf, pathOf, type Suite } from './suite-files.js'

/** What became of a suite. */
export interface Outcome {
  passed: number
  failed: number
  skipped: number
  seconds: number
  printed: string
  /** It ended without the line that counts its tests, or with a status that the line does not explain. */
  isBroken: boolean
  /** How many tests failed at first, and passed when their files ran again while nothing else did. */
  passedAlone?: number
  /** Why it did not run, and whether that is because something is missing. */
  left?: string
  isMissing?: boolean
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MOCHA = join(ROOT, 'node_modules/mocha/bin/mocha.js')
/** The reporter's line when a file ends. */
const A_FILE_ENDED = /^\S+\.test\.ts: \d+ tests in [\d.]+ s$/
/** Of a test. Suites install, compile and start what they check. */
const TIMEOUT_MS = 300_000
/** Of a suite, which is ended then and fails. */
const ENDS_WITHIN_MS = 1_500_000

/** Runs a suite; `nodeFolder` has the Node that runs it, and that comes first in its PATH. */
export async function runSuite(suite: Suite, nodeFolder: string | null): Promise<Outcome> {
  const startedAt = performance.now()
  const files = filesOf(suite)
  // Those of `npm test` have the limit of Mocha's configuration.
  const isHeavy = suite.touchedBy !== undefined || files.some(file => /(^|\/)check\//.test(file))
  const args = [MOCHA, ...files.map(pathOf), ...(isHeavy ? ['--timeout', String(TIMEOUT_MS)] : [])]
  const path = nodeFolder === null ? {} : { PATH: [nodeFolder, process.env.PATH].join(delimiter) }
  const child = spawn(nodeFolder === null ? process.execPath : join(nodeFolder, 'node'), args, {
    cwd: ROOT,
    env: { ...process.env, ...suite.env, ...path },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // so that what it has started ends with it
  })
  running.add(child)
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => printed.push(data))
  createInterface({ input: child.stdout }).on('line', line => {
    if (A_FILE_ENDED.test(line)) process.stdout.write(`${suite.name}: ${line}\n`)
  })
  const deadline = setTimeout(() => {
    printed.push(Buffer.from(`\n${suite.name}: did not end within ${ENDS_WITHIN_MS / 60_000} minutes\n`))
    end(child)
  }, ENDS_WITHIN_MS)
  const [status] = (await once(child, 'close')) as [number | null]
  clearTimeout(deadline)
  running.delete(child)
  const text = Buffer.concat(printed).toString()
  const counts = countsIn(text)
  const isBroken = counts === null || (status !== 0 && counts.failed === 0)
  const seconds = (performance.now() - startedAt) / 1000
  return { passed: 0, failed: 0, skipped: 0, ...counts, seconds, printed: text, isBroken }
}

const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of running) end(child)
    process.exit(1)
  })

function end({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}

/**
 * Runs the files of a suite that failed once more. Suites run two at a time, on few cores, so a test that waits for
 * something with a limit may miss it although nothing is wrong. If it fails again, or several files failed, or the
 * suite broke off, `first` is what became of the suite; if not, the outcome counts its tests as passed alone.
 */
export async function rerunFailed(suite: Suite, first: Outcome, nodeFolder: string | null): Promise<Outcome> {
  const files = failedFilesIn(first.printed)
  const isWorthIt = !first.isBroken && files.length <= RERUN_FILES && files.every(file => filesOf(suite).includes(file))
  if (first.failed === 0 || !isWorthIt) return first
  const again = await runSuite({ ...suite, files, except: [] }, nodeFolder)
  const seconds = first.seconds + again.seconds
  const printed = first.printed + again.printed
  if (again.failed > 0 || again.isBroken || again.skipped > first.skipped) return { ...first, seconds, printed }
  const { failed: passedAlone } = first
  return { ...first, seconds, printed, passed: first.passed + passedAlone, failed: 0, passedAlone }
}

/** More files than these fail because something is wrong. */
const RERUN_FILES = 3

/** Test files, relative to `test/`, that the reporter names as having failures. */
export function failedFilesIn(text: string): string[] {
  return [...text.matchAll(/^failed in (.*)$/gm)].map(([, file]) => file as string)
}

/** What the reporter's last line says. */
export function countsIn(text: string): { passed: number; failed: number; skipped: number } | null {
  const last = [...text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1)
  return last ? { passed: Number(last[1]), failed: Number(last[2]), skipped: Number(last[3] ?? 0) } : null
}
