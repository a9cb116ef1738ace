import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { digestOfFile } from 'foldgate/internal'

/** Column that says which project a row belongs to. */
export const PROJECT_COLUMN = 'project_key'

/** Returns those of `files` that are tables of the catalogue, sorted by name. */
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
