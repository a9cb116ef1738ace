import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The arguments of a script that a test or a person starts, one per name. Anything else ends the process with status 2,
 * before a wrong word becomes a folder; so does a flag, which test runners hand on. Throws when the script is imported, so that the import changes nothing.
 */
export function scriptArguments<const Names extends readonly string[]>(url: string, ...names: Names) {
  const path = fileURLToPath(url)
  const [, started = '', ...given] = process.argv
  if (realpathSync(started) !== realpathSync(path)) throw new Error(`${path} is a script: start it, do not import it`)
  if (given.length !== names.length || given.some(word => word.startsWith('-'))) {
    process.stderr.write(`Usage: ${[basename(path), ...names].join(' ')}\n`)
    process.exit(2)
  }
  return given as { [Name in keyof Names]: string }
}
