import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { Refusal } from '../input/refusal.js'
import { counted } from './print.js'

/** Where questions are asked and answered. They go to standard error: standard output has only results. */
interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream
}

/** Adds `--yes` to a command that removes something. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'Do not ask.')
}

/**
 * Says what will be removed and asks for confirmation, unless `yes` is given. Throws a Refusal when the
 * answer is not yes, and when there is no terminal to ask on.
 */
export async function confirmRemoval(
  goes: string,
  yes: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (yes) return
  if (!input.isTTY) throw new Refusal(`${goes}: add --yes to confirm, since there is no terminal to ask on`)
  output.write(`${goes}.\nRemove it for good? [y/N] `)
  const lines = createInterface({ input })
  const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])])
  lines.close()
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Refusal('Nothing was removed')
}

/** Formats counts such as "with 2 keys and 1 session"; zeros are left out. */
export function listCounts(
  counts: readonly (readonly [count: number, one: string, several: string])[],
): string {
  const parts = counts.filter(([count]) => count > 0).map(each => counted(...each))
  const last = parts.pop()
  if (last === undefined) return 'with nothing else'
  return `with ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}`
}
