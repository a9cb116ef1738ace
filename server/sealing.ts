import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DirectorySnapshots, openSealer, SealError, type Sealer } from 'foldgate'
import { catalogue } from './catalogue/index.js'
import type { DataFolder } from './store/data-folder.js'

/** Nothing is sealed for as long as this. */
const ABANDONED_MS = 86_400_000

/** What {@link withSealer} hands out: the sealer is started when it is first asked for. */
export type StartSealer = () => Promise<Sealer>

/** Runs `work` with a sealer for this data folder and ends the sealer after it, whatever becomes of it. */
export async function withSealer<Result>(
  folder: DataFolder,
  snapshots: DirectorySnapshots,
  work: (sealer: StartSealer) => Promise<Result>,
): Promise<Result> {
  await sweepScratch(folder.scratch)
  const scratch = await mkdtemp(join(folder.scratch, 'seal-'))
  let sealer: Promise<Sealer> | undefined
  try {
    return await work(() => {
      sealer ??= openSealer({ catalogue, snapshots, folder: scratch })
      return sealer
    })
  } finally {
    await (await sealer?.catch(() => undefined))?.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Removes from a data folder's scratch what a sealer that was killed has left there for a day. */
export async function sweepScratch(scratch: string): Promise<void> {
  for (const name of await readdir(scratch)) {
    const path = join(scratch, name)
    const found = await stat(path).catch(() => null)
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true })
  }
}

/** What keeps tables from being sealed, a line each: table, column, reason. Null for any other failure. */
export function sealProblems(error: unknown): string | null {
  if (!(error instanceof SealError)) return null
  return error.problems
    .map(({ table, column, message }) => `  ${table}${column === undefined ? '' : `, column ${column}`}: ${message}`)
    .join('\n')
}
