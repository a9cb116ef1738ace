import { join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { digestOfFile, readRegular, UnusableFile } from '../files/regular.js'
import {
  DamagedSnapshot,
  parseManifest,
  type SnapshotManifest,
  type StoredFile,
  snapshotFiles,
} from './manifest.js'

/** The file with the manifest, in a folder to which a snapshot was exported. */
export const MANIFEST_FILE = 'manifest.json'
/** A manifest takes a few hundred bytes per column. */
const MOST_BYTES = 64 * 1024 ** 2

/** Reads the text of the manifest of an exported snapshot. */
export async function readManifest(folder: string): Promise<string> {
  const bytes = await readRegular(join(folder, MANIFEST_FILE), MOST_BYTES).catch(cause => {
    throw cause instanceof UnusableFile ? new DamagedSnapshot(cause.about(MANIFEST_FILE)) : cause
  })
  return bytes.toString()
}

/**
 * Reads every file of a snapshot that was exported to `folder`, where `manifest.json` is beside them, and compares it with
 * the digest in the manifest, and the ids with `expected`. Files that are not regular files are not read. Returns what is
 * wrong, one sentence each.
 */
export async function verifyFolder(
  folder: string,
  expected: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>,
  signal?: AbortSignal,
): Promise<string[]> {
  try {
    const text = await readManifest(folder).catch(ifMissing(null))
    return await problemsIn(text, expected, ({ file }) =>
      digestOfFile(join(folder, file), signal).catch(ifMissing(null)),
    )
  } catch (error) {
    if (error instanceof DamagedSnapshot) return [error.message]
    throw error
  }
}

/**
 * What is wrong with the ids in a manifest, and with its files; `digestOf` returns SHA-256 in hex, or null for a file that
 * is missing. Throws a {@link DamagedSnapshot} for a manifest that is none.
 */
export async function problemsIn(
  text: string | null,
  { projectId, snapshotId }: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>,
  digestOf: (stored: StoredFile) => Promise<string | null>,
): Promise<string[]> {
  if (text === null) return ['manifest.json is missing']
  const manifest = parseManifest(text)
  if (manifest === null) return ['manifest.json is in a format of another version']
  const files = snapshotFiles(manifest)
  const problems: string[] = []
  if (projectId !== manifest.projectId) problems.push('it is a snapshot of another project')
  if (snapshotId !== manifest.snapshotId) problems.push('it is another snapshot')
  for (const stored of files) {
    try {
      const digest = await digestOf(stored)
      if (digest === null) problems.push(`${stored.file} is missing`)
      else if (digest !== stored.sha256) problems.push(`${stored.file} is not as it was sealed`)
    } catch (cause) {
      if (!(cause instanceof UnusableFile)) throw cause
      problems.push(cause.about(stored.file))
    }
  }
  return problems
}
