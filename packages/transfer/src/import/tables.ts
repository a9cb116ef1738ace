import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { digestOfFile, openRegular, UnusableFile } from 'foldgate/internal'
import { quoted, Refusal, unfitForPackages } from 'foldgate-server/parts'

/** Throws a Refusal when a table of the catalogue would be mistaken for a register, or a column for the key. */
export function refuseWithoutPackages(catalogue: Catalogue): void {
  const why = unfitForPackages(catalogue)
  if (why === null) return
  throw new Refusal(`${why}: seal the tables of each project with "foldgate seal PROJECT FOLDER"`)
}

/** Returns the `files` that are tables of the catalogue, sorted by name. */
export function tablesAmong(files: readonly string[], catalogue: Catalogue): string[] {
  const names = [...catalogue.relations.values()].flatMap(({ kind, name }) => (kind === 'table' ? name : []))
  const known = new Set(names.flatMap(name => [`${name}.csv`, `${name}.parquet`]))
  return files.filter(file => known.has(file)).sort()
}

/** SHA-256 over the names and contents of files: it changes when any of them changes. */
export async function digestFiles(
  folder: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const whole = createHash('sha256')
  for (const file of files) whole.update(`${file} ${await digestOfFile(join(folder, file), signal)}\n`)
  return whole.digest('hex')
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
