import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { EngineFailure, type Snapshot } from 'foldgate/engine'
import type { StoredFile } from 'foldgate/internal'
import { digestOfFile, moveFile } from 'foldgate/internal'
import { tableFiles } from 'foldgate/sealing'

/** A folder that this service, its siblings and the cluster all read. */
export interface SharedFolder {
  /** Path of the folder for this service. */
  folder: string
  /** The same folder for the cluster, such as `local:///mnt/foldgate`. */
  location: string
}

/** A bucket that has the snapshots too, as `s3ClusterFiles` of `foldgate-s3` makes it. */
export interface SharedBucket {
  /** URL for the cluster of what this service writes. */
  location: string
  /** Uploads a file as `name` below the location. */
  put(name: string, path: string): Promise<void>
  /** Removes a folder below the location. */
  remove(folder: string): Promise<void>
  /** URL under which the cluster finds a file of a snapshot. */
  fileLocation(snapshot: Omit<SnapshotPlace, 'folder'>, file: StoredFile): string
}

/** A sealed snapshot, for the option that says where the cluster finds it. */
export interface SnapshotPlace {
  projectId: string
  snapshotId: string
  /** Where this service reads it. */
  folder: string
}

/** Where the cluster reads the files of snapshots, and what this service writes. */
export interface SharedPlace extends Pick<SharedBucket, 'location' | 'put' | 'remove'> {
  /** Finds files of a snapshot for the cluster, and compares those that this service can read with their digests. */
  locate(snapshot: Snapshot, files: readonly StoredFile[]): Promise<string[]>
  /** Keeps the tables of a snapshot from being removed until `release()` is called, where that is possible. */
  hold(snapshot: Snapshot): Promise<{ release(): Promise<void> } | null>
}

/** A folder; `snapshotLocation` says where the cluster finds a snapshot that this service reads in another one. */
export function inFolder(
  { folder, location }: SharedFolder,
  snapshotLocation: (place: SnapshotPlace) => string,
): SharedPlace {
  const hold = (snapshot: Snapshot, files: readonly StoredFile[]) =>
    snapshot.open(files.map(({ file }) => file)).catch(cause => {
      throw new EngineFailure('snapshot', 'The snapshot is gone.', { cause })
    })
  return {
    location: location.replace(/\/$/, ''),
    async put(name, path) {
      const to = resolve(folder, name)
      await mkdir(dirname(to), { recursive: true })
      await moveFile(path, to)
    },
    remove: name => rm(resolve(folder, name), { recursive: true, force: true }),
    hold: snapshot => hold(snapshot, snapshot.manifest.tables.flatMap(tableFiles)),
    async locate(snapshot, files) {
      const { projectId, snapshotId } = snapshot
      const lease = await hold(snapshot, files)
      try {
        for (const { file, sha256 } of files) await checkDigest(join(lease.folder, file), sha256)
        const folder = snapshotLocation({ projectId, snapshotId, folder: lease.folder })
        return files.map(({ file }) => `${folder}/${file}`)
      } finally {
        await lease.release()
      }
    },
  }
}

/** A bucket: this service opens no snapshot of it, since that would copy files to its machine. */
export function inBucket(bucket: SharedBucket): SharedPlace {
  return {
    location: bucket.location,
    put: (name, path) => bucket.put(name, path),
    remove: folder => bucket.remove(folder),
    hold: async () => null,
    locate: async ({ projectId, snapshotId }, files) =>
      files.map(file => bucket.fileLocation({ projectId, snapshotId }, file)),
  }
}

async function checkDigest(path: string, sha256: string): Promise<void> {
  const failed = (cause: unknown) => new EngineFailure('snapshot', 'A stored table is damaged.', { cause })
  const found = await digestOfFile(path).catch(cause => {
    throw failed(cause)
  })
  if (found !== sha256) throw failed(new Error(`${path}: its digest differs from the manifest`))
}
