import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { filesOf, pathOf, type Suite } from './suite-files.js'

/** The last green run of a suite: digests of its inputs and of what touches it, and when it was. */
export interface Green {
  inputs: string
  touchedBy: string
  at: string
}

/** The last green runs of suites, by name. */
export type Recorded = Readonly<Record<string, Green>>

const DAY_MS = 86_400_000

/** What every suite runs with. */
const COMMON = ['.mocharc.json', 'test/hooks.ts']

/**
 * The green run that a suite would be recorded with now; null when it has no inputs. Besides those, its inputs are its
 * own files and variables, whatever of the tests these files import, and what touches it.
 */
export function greenOf(suite: Suite, root: string, version = ''): Green | null {
  const { inputs, touchedBy = inputs, env = {} } = suite
  if (!inputs || !touchedBy) return null
  const files = filesOf(suite).map(pathOf)
  const run = `${version} ${JSON.stringify(env.PATH ? { ...env, PATH: '' } : env)}`
  return {
    inputs: digestOf([...inputs, ...touchedBy, ...COMMON, ...importsOf(files, root)], root, run),
    touchedBy: digestOf(touchedBy, root, run),
    at: new Date().toISOString(),
  }
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
  if (now.inputs === last.inputs) return 'unchanged since green'
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
  const there = files.filter(file => file !== '' && existsSync(join(root, file)))
  const empty = inputs.find(input => !there.some(file => file === input || file.startsWith(`${input}/`)))
  if (empty !== undefined) throw new Error(`no file of the repository is in ${empty}`)
  return [...new Set(there)].sort()
}
