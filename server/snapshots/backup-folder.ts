import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  DamagedSnapshot,
  FILE_NAME,
  folderObjects,
  ifMissing,
  type ObjectStore,
  parseManifest,
} from 'foldgate/internal'
import { snapshotFiles } from 'foldgate/sealing'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'

/** Files that are copied at once: a bucket answers each after a while. */
export const FILES_AT_ONCE = 8
const INDEX = 'backup.json'
const FORMAT_VERSION = 1

/** A snapshot in a backup. */
export interface BackedUp {
  projectId: string
  snapshotId: string
  /** Of its manifest, hex. */
  sha256: string
}

/** What a backup has, as its index says. The index is written last: a folder without one has no backup. */
export interface BackupIndex {
  formatVersion: number
  /** RFC 3339. */
  madeAt: string
  /** The version of the server that has made it. */
  version: string
  /** The copy of the control store. */
  store: { file: string; sha256: string }
  snapshots: BackedUp[]
}

/** The folder of a backup, which only its owner may read. */
export class BackupFolder {
  /** As the user gave it, for messages. */
  readonly name: string
  /** The objects of the snapshots. */
  readonly objects: ObjectStore

  constructor(name: string) {
    this.name = name
    this.objects = folderObjects(join(name, 'snapshots'), 0o700)
  }

  /** Path of a file in the folder. */
  at(file: string): string {
    return join(this.name, file)
  }

  /** Makes the folder unless it is there. */
  async make(): Promise<void> {
    await mkdir(this.name, { recursive: true, mode: 0o700 })
  }

  /** Removes the copies of control stores but this one, and the files and folders that killed processes have left of them. */
  async removeStores(but: string | undefined): Promise<void> {
    for (const name of await readdir(this.name))
      if (name.startsWith('store-') && name !== but) await rm(this.at(name), { recursive: true, force: true })
  }

  /** Reads the index; null when there is none. Throws a Refusal for an index that this version cannot read. */
  async index(): Promise<BackupIndex | null> {
    const text = await readFile(this.at(INDEX), 'utf8').catch(ifMissing(null))
    if (text === null) return null
    const index = parsed(text)
    if (index?.formatVersion === FORMAT_VERSION) return index
    throw new Refusal(
      `The backup in ${quoted(this.name)} cannot be read by this version: its index ${INDEX} is damaged, or was written by ` +
        'another version',
    )
  }

  /** Writes the index in place of the one before, whole or not at all. */
  async writeIndex(given: Omit<BackupIndex, 'formatVersion'>): Promise<void> {
    const draft = this.at(`${INDEX}.draft`)
    const file = await open(draft, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify({ formatVersion: FORMAT_VERSION, ...given })}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, this.at(INDEX))
  }
}

function parsed(text: string): BackupIndex | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the files that a manifest names; null for one that is damaged, of another snapshot or version. */
export function filesIn(text: string, snapshotId: string): ReturnType<typeof snapshotFiles> | null {
  try {
    const manifest = parseManifest(text)
    if (manifest?.snapshotId !== snapshotId) return null
    const files = snapshotFiles(manifest)
    return files.every(({ file }) => FILE_NAME.test(file)) ? files : null
  } catch (cause) {
    if (cause instanceof DamagedSnapshot) return null
    throw cause
  }
}

/** Writes chunks to a new file, and returns the SHA-256 of the file, hex. */
export async function writeChunks(
  chunks: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256')
  const hashed = async function* (given: AsyncIterable<Buffer>) {
    for await (const chunk of given) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(chunks, hashed, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  return hash.digest('hex')
}
