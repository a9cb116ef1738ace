import { knowSound } from 'foldgate/internal'
import { checkCatalogue } from 'foldgate/sealing'
import { Refusal } from '../input/refusal.js'
import type { Log } from '../operation/log.js'
import type { ServerConfig } from '../settings/config.js'
import { isReference } from '../settings/load-catalogue.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { problemLines } from '../snapshots/problems.js'

/** A check takes about a second; a server must not wait for a catalogue that never ends to run. */
const CHECK_MS = 60_000

/**
 * Throws a Refusal that lists the mistakes in the catalogue of a server. Tests hold that the reference catalogue
 * has none. A check that does not end in time is logged.
 */
export async function refuseMistakes(
  { functions, sandbox }: Pick<ServerConfig, 'functions' | 'sandbox'>,
  folder: DataFolder,
  log: Log,
): Promise<void> {
  const { catalogue } = folder
  if (isReference(catalogue)) return knowSound(catalogue)
  const signal = AbortSignal.timeout(CHECK_MS)
  const guard = { functions: functions ?? [] }
  const options = { folder: folder.scratch, guard, sandbox, signal }
  const problems = await checkCatalogue(catalogue, options).catch(cause => {
    if (!signal.aborted) throw cause
    log.warn(
      { type: 'catalogue' },
      `the catalogue was not checked within ${CHECK_MS / 1000} s: run "foldgate check"`,
    )
    return []
  })
  if (problems.length > 0)
    throw new Refusal(
      `The catalogue has mistakes: correct it, and check it with "foldgate check":\n${problemLines(problems).join('\n')}`,
    )
  if (!signal.aborted) knowSound(catalogue) // the engine need not check it again
}
