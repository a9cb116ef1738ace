import { randomUUID } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, OWN_NAME } from '../flow/identity.js'
import { removeTree } from '../sandbox/remove-tree.js'

/**
 * Makes a folder in another one for this process: `<kind>-<process>~<uuid>`. Removes folders of the same kind that
 * processes left there which were killed since the machine started, in this container; folders that cannot be removed
 * are left to the next call.
 */
export async function makeOwnFolder(parent: string, kind: 'seal' | 'check'): Promise<string> {
  const folder = join(parent, `${kind}-${OWN_NAME ?? ''}~${randomUUID()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(parent)) {
    const [owner = '', id] = name.slice(kind.length + 1).split('~')
    if (name.startsWith(`${kind}-`) && id !== undefined && hasEnded(owner))
      await removeTree(join(parent, name)).catch(() => {})
  }
  return folder
}
