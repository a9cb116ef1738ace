import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, OWN_NAME } from '../flow/identity.js'
import { removeTree } from '../sandbox/remove-tree.js'
import { ifMissing } from './missing.js'

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
  const folder = ownPath(parent, kind)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeLeft(parent)
  return folder
}

/**
 * Has a folder in another one for this process, with what a process that has ended has left in its own of the same kind,
 * if there is one. Removes others that were left. While it is used, its time must change once an hour.
 */
export async function takeOwnFolder(parent: string, kind: 'copies'): Promise<string> {
  const folder = ownPath(parent, kind)
  await mkdir(parent, { recursive: true })
  for (const name of (await readdir(parent)).filter(each => each.startsWith(`${kind}-`))) {
    if (!(await isLeft(parent, name, true))) continue
    const isTaken = await rename(join(parent, name), folder).then(() => true, ifMissing(false))
    if (isTaken) break
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await utimes(folder, new Date(), new Date())
  await removeLeft(parent, { ofUnknown: true })
  return folder
}

function ownPath(parent: string, kind: string): string {
  return join(parent, `${kind}-${OWN_NAME ?? ''}~${randomUUID()}`)
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
    if (await isLeft(parent, name, ofUnknown)) await removeTree(join(parent, name)).catch(onFailure)
  }
}

/** Whether the process of an own folder has ended, as far as this one can know. */
async function isLeft(parent: string, name: string, ofUnknown: boolean): Promise<boolean> {
  const [, owner] = OWN_FOLDER.exec(name) ?? []
  if (owner === undefined) return false
  const isEnded = hasEnded(owner)
  if (isEnded !== null || !ofUnknown) return isEnded ?? false
  const found = await stat(join(parent, name)).catch(() => null) // its owner has removed it meanwhile
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS
}
