import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Suite } from './suites.js'

/** The last green run of a suite: digests of its inputs and of what touches it, and when it was. */
export interface Green {
  inputs: string
  touchedBy: string
  at: string
}

/** The last green runs of suites, by name. */
export type Recorded = Readonly<Record<string, Green>>

const DAY_MS = 86_400_000

/** The green run that a suite would be recorded with now; null when it has no inputs. */
export function greenOf(
  { inputs, touchedBy }: Pick<Suite, 'inputs' | 'touchedBy'>,
  root: string,
  version?: string,
): Green | null {
  if (!inputs) return null
  const all = digestOf(inputs, root, version)
  return {
    inputs: all,
    touchedBy: touchedBy ? digestOf(touchedBy, root, version) : all,
    at: new Date().toISOString(),
  }
}

/** Why a suite need not run now, given its last green run; null when it has to. */
export function whyNot(now: Green | null, last: Green | undefined): string | null {
  if (!now || !last) return null
  if (now.inputs === last.inputs) return 'unchanged since green'
  const isOld = !(Date.parse(now.at) - Date.parse(last.at) < DAY_MS)
  return now.touchedBy === last.touchedBy && !isOld ? 'not touched since it was green, within a day' : null
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
