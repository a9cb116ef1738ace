import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Suite } from './suites.js'

/** Digests of the inputs of suites, by name, at their last green run. */
export type Recorded = Readonly<Record<string, string>>

/**
 * Digest of the files that a suite checks, by their paths below `root` and their contents, and of the version of Node
 * that it is for, if any; null when it has no inputs.
 */
export function digestOf({ inputs }: Pick<Suite, 'inputs'>, root: string, version = ''): string | null {
  if (!inputs) return null
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
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--']
  const found = inputs.flatMap(input => {
    const files = execFileSync('git', [...list, input], { cwd: root, encoding: 'utf8' }).split('\0')
    const there = files.filter(file => file !== '' && existsSync(join(root, file)))
    if (there.length === 0) throw new Error(`no file of the repository is in ${input}`)
    return there
  })
  return [...new Set(found)].sort()
}
