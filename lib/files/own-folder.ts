import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, OWN_NAME } from '../flow/identity.js'
import { removeTree } from '../sandbox/remove-tree.js'

/** Files that no process has changed for this long are abandoned, where nothing else tells whether their process runs. */
export const ABANDONED_MS = 86_400_000

/** The time of a folder with copies whose process goes on without it, in seconds. */
export const CLOSED = 0

/** Own folders: their kind, the process and a UUID. */
const OWN_FOLDER = /^([a-z]+)-([^~]*)~[0-9a-f-]{36}$/

/** What own folders are for. */
type Kind = 'seal' | 'check' | 'diff' | 'import' | 'copies'

/** Names a folder of this process: `<kind>-<process>~<uuid>`. */
export function ownFolderName(kind: Kind): string {
  return `${kind}-${OWN_NAME ?? ''}~${randomUUID()}`
}

/**
 * Makes a folder in another one for this process, see {@link ownFolderName}. Removes such folders there of processes that
 * were killed since the machine started, in this container; folders that cannot be removed are left to the next call.
 */
export async function makeOwnFolder(parent: string, kind: Kind): Promise<string> {
  const folder = join(parent, ownFolderName(kind))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeLeft(parent)
  return folder
}

/**
 * Removes the own folders of processes that have ended. `ofUnknown` adds abandoned folders of processes of which this
 * one cannot know, because they ran on another machine, in another container or before a restart.
 */
export async function removeLeft(
  parent: string,
  { ofUnknown = false, onFailure = () => {} }: { ofUnknown?: boolean; onFailure?(cause: unknown): void } = {},
): Promise<void> {
  for (const path of await leftIn(parent, ofUnknown ? ABANDONED_MS : Number.POSITIVE_INFINITY))
    await removeTree(path).catch(onFailure)
}

/**
 * The own folders, of one kind or of all, that their processes have closed or that have ended; of processes of which
 * this one cannot know, those that were not touched for so long.
 */
export async function leftIn(parent: string, silentMs: number, kind?: Kind): Promise<string[]> {
  const left: string[] = []
  for (const name of await readdir(parent)) {
    const [, of, owner] = OWN_FOLDER.exec(name) ?? []
    if (owner === undefined || (kind !== undefined && of !== kind)) continue
    const path = join(parent, name)
    const found = await stat(path).catch(() => null) // its owner has removed it meanwhile
    if (!found) continue
    const isClosed = of === 'copies' && found.mtimeMs === CLOSED
    if (isClosed || (hasEnded(owner) ?? Date.now() - found.mtimeMs > silentMs)) left.push(path)
  }
  return left
}
