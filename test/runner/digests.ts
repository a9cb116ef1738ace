import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { filesOf, pathOf, type Suite } from './suite-files.js'

/** The last green run of a suite: digests of the repository and of what touches it, and when it was. */
export interface Green {
  all: string
  touchedBy: string
  at: string
}

/** The last green runs of suites, by name. */
export type Recorded = Readonly<Record<string, Green>>

const DAY_MS = 86_400_000

/** Whatever suites may read. The file of records is not of them: it would never be as it was recorded. */
const ALL = [
  ...['.mocharc.json', '.ci', 'package.json', 'package-lock.json', 'README.md', 'CHANGELOG.md'],
  ...['bench', 'deploy', 'docs', 'examples', 'lib', 'packages', 'server', 'test'],
]
const RECORDED = 'test/runner/recorded.json'

/** The green run that a suite would be recorded with now, on this version of Node; null for one that always runs. */
export function greenOf(suite: Suite, root: string, version = ''): Green | null {
  const { touchedBy, env = {} } = suite
  if (!touchedBy) return null
  const files = importsOf(filesOf(suite).map(pathOf), root)
  const run = `${version} ${JSON.stringify(env.PATH ? { ...env, PATH: '' } : env)}`
  return {
    all: createHash('sha256')
      .update(`${run} ${digestOfAll(root)}`)
      .digest('hex'),
    touchedBy: digestOf([...touchedBy, ...files], root, run),
    at: new Date().toISOString(),
  }
}

const known = new Map<string, string>()

/** Digest of the whole repository, which a run of suites looks at once. */
function digestOfAll(root: string): string {
  const digest = known.get(root) ?? digestOf(ALL, root)
  known.set(root, digest)
  return digest
}

/** Test files, and the files that they import by relative paths, from file to file. */
function importsOf(files: readonly string[], root: string): string[] {
  const seen = new Set(files)
  for (const file of seen)
    for (const [, from = ''] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const named = normalize(join(dirname(file), from))
      const found = [named, named.replace(/\.js$/, '.ts')].find(each => existsSync(join(root, each)))
      if (found && !found.includes('/dist/')) seen.add(found)
    }
  return [...seen]
}

/** Why a suite need not run now, given its last green run; null when it has to. */
export function whyNot(now: Green | null, last: Green | undefined): string | null {
  if (!now || !last) return null
  if (now.all === last.all) return 'unchanged since green'
  const age = Date.parse(now.at) - Date.parse(last.at)
  return now.touchedBy === last.touchedBy && age >= 0 && age < DAY_MS
    ? 'not touched since it was green, within a day'
    : null
}

/** Digest of files, by their paths below `root` and their contents, and of the version of Node that runs them, if any. */
export function digestOf(inputs: readonly string[], root: string, version = ''): string {
  const hash = createHash('sha256').update(version)
  for (const file of filesBelow(inputs, root)) {
    const content = createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex')
    hash.update(`${content} ${file}\n`)
  }
  return hash.digest('hex')
}

/** Files of the repository, also those that are not committed yet. Throws when an input has none. */
function filesBelow(inputs: readonly string[], root: string): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...inputs]
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  const there = files.filter(file => file !== '' && file !== RECORDED && existsSync(join(root, file)))
  const empty = inputs.find(input => !there.some(file => file === input || file.startsWith(`${input}/`)))
  if (empty !== undefined) throw new Error(`no file of the repository is in ${empty}`)
  return [...new Set(there)].sort()
}
