import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, OWN_NAME } from '../flow/identity.js'
import { removeTree } from '../sandbox/remove-tree.js'

/** Files that no process has changed for this long are abandoned, where nothing else tells whether their process runs. */
export const ABANDONED_MS = 86_400_000

/** Own folders: the process and a UUID. */
const OWN_FOLDER = /^[a-z]+-([^~]*)~[0-9a-f-]{36}$/

/**
 * Makes a folder in another one for this process: `<kind>-<process>~<uuid>`. Removes such folders there of processes that
 * were killed since the machine started, in this container; folders that cannot be removed are left to the next call.
 */
export async function makeOwnFolder(
  parent: string,
  kind: 'seal' | 'check' | 'diff' | 'import',
): Promise<string> {
  const folder = join(parent, `${kind}-${OWN_NAME ?? ''}~${randomUUID()}`)
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
  for (const name of await readdir(parent)) {
    const [, owner] = OWN_FOLDER.exec(name) ?? []
    if (owner === undefined) continue
    const path = join(parent, name)
    if (hasEnded(owner) ?? (ofUnknown && (await isAbandoned(path)))) await removeTree(path).catch(onFailure)
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null) // its owner has removed it meanwhile
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS
}
