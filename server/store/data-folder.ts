import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { lockFile } from './database.js'
import { quoted } from './names.js'
import { Refusal } from './refusal.js'

/** Where everything of one server lies; absolute paths. */
export interface DataFolder {
  /** As the user named it, for messages. */
  name: string
  /** File of the control store. */
  control: string
  snapshots: string
  exports: string
  /** Caches and scratch files of the engine processes: of the one server that runs. */
  engine: string
  /** Scratch of commands that seal. */
  scratch: string
}

/** The layout of a data folder. The folder and what is missing in it are made, for the eyes of their owner alone. */
export async function openDataFolder(name: string): Promise<DataFolder> {
  if (name === '') throw new Refusal('The name of the data folder is empty: name one with --data or FOLDGATE_DATA')
  const at = (part: string) => join(resolve(name), part)
  const folder = {
    name,
    control: at('control.db'),
    snapshots: at('snapshots'),
    exports: at('exports'),
    engine: at('engine'),
    scratch: at('scratch'),
  }
  try {
    for (const part of [folder.snapshots, folder.exports, folder.engine, folder.scratch])
      await mkdir(part, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    throw new Refusal(`The data folder ${quoted(name)} cannot be used (${code}): name one that can be written to`, {
      cause,
    })
  }
  return folder
}

/**
 * Makes this process the only one that does `work` ("serve", "import") on a data folder, until the lock is released or
 * the process ends. A folder that another process has is a refusal that names it.
 */
export function lockDataFolder(folder: DataFolder, work: 'serve' | 'import'): { release(): void } {
  const lock = lockFile(join(resolve(folder.name), `${work}.lock`))
  if ('release' in lock) return lock
  const holder = lock.holder === null ? 'Another process' : `The process ${lock.holder}`
  throw new Refusal(
    `${holder} runs "foldgate ${work}" on the data folder ${quoted(folder.name)}: stop it first, or name another folder`,
  )
}
