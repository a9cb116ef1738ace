import { readdir } from 'node:fs/promises'
import { quoted } from '../store/names.js'
import { Refusal } from '../store/refusal.js'

/** Lists the names of the files in a folder, sorted. Throws a Refusal when the folder cannot be read. */
export async function filesOf(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.flatMap(entry => (entry.isDirectory() ? [] : entry.name)).sort()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'is not there' : code === 'ENOTDIR' ? 'is no folder' : `cannot be read (${code})`
    throw new Refusal(`The folder ${quoted(folder)} ${why}: name the folder that holds the tables`, { cause })
  }
}
