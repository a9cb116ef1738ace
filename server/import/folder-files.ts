import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openRegular, UnusableFile } from 'foldgate/internal'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'

/** Lists the names of the files in a folder, sorted. Throws a Refusal when the folder cannot be read. */
export async function filesOf(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.flatMap(entry => (entry.isDirectory() ? [] : entry.name)).sort()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    const why =
      code === 'ENOENT' ? 'is not there' : code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${code})`
    throw new Refusal(`The folder ${quoted(folder)} ${why}: name the folder that holds the tables`, { cause })
  }
}

/** Throws a Refusal that lists those of these files in a folder that are not regular files, one per line. */
export async function refuseIrregular(folder: string, names: readonly string[]): Promise<void> {
  const lines: string[] = []
  for (const name of names) {
    try {
      await (await openRegular(join(folder, name))).handle.close()
    } catch (cause) {
      if (cause instanceof UnusableFile) lines.push(`  ${cause.about(name)}`)
      // Other problems of a file are reported when it is read.
    }
  }
  if (lines.length > 0)
    throw new Refusal(`The folder ${quoted(folder)} has files that cannot be read:\n${lines.join('\n')}`)
}
