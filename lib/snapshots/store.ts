import type { SnapshotPort } from '../ports.js'
import type { SnapshotManifest } from './manifest.js'

/**
 * Where snapshots are published, read and removed, by any number of processes: `directorySnapshots` or `s3Snapshots`. A
 * `projectId` that is not a UUID in lower case throws a TypeError. Methods reject with the error of the file system or of
 * the bucket.
 */
export interface SnapshotStore extends SnapshotPort {
  /**
   * Lists the ids of the snapshots, newest first, of all projects whose ids come after one (`''` for all) and not after
   * another (`null` for all).
   */
  listBetween(
    after: string,
    last: string | null,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns the manifests of a project's snapshots that this version can read, newest first. */
  manifests(projectId: string): Promise<SnapshotManifest[]>
  /**
   * Reads every file of a snapshot where it is stored, and compares it with its digest. The manifest itself has none.
   * Returns what is wrong, one sentence each; nothing when the snapshot is as it was sealed. Throws the reason of `signal`
   * when that is aborted.
   */
  verify(projectId: string, snapshotId: string, signal?: AbortSignal): Promise<string[]>
  /**
   * Whether all files of a snapshot are there with their sizes, and where they are at hand, with their digests. Unlike
   * `verify`, it reads nothing of a bucket.
   */
  isWhole(manifest: SnapshotManifest, signal?: AbortSignal): Promise<boolean>
  /**
   * Removes snapshots older than the newest `keep` that this version can read: they are listed no more. Their files, and
   * those of snapshots that were removed a day ago, are removed a day later, by `prune`, `remove` or `sweep`. Returns the
   * ids removed. Throws a TypeError unless `keep` is a whole number above 0.
   */
  prune(projectId: string, keep: number): Promise<string[]>
  /** Removes all snapshots of a project, as `prune` does. Returns the ids removed. */
  remove(projectId: string): Promise<string[]>
  /**
   * Removes the files of snapshots that were removed, and what killed processes have left, once they are a day old. It
   * lists all objects: of many processes, one may do so once a day.
   */
  sweep(signal?: AbortSignal): Promise<void>
  /**
   * Publishes files in `folder` as the newest snapshot of their project, atomically, and may move them away. A file that
   * the newest snapshot has as well is stored once. When the newest snapshot is whole and has the same contents and
   * assessment, nothing is published, and its manifest is returned as `unchanged`. A copy of a snapshot, whose manifest has
   * a `snapshotId`, is always published, and keeps that id and its place among the others. Returns the manifest with its
   * `snapshotId` and the names that the files have in the store. Throws when other processes keep publishing to the project, when the project has a snapshot with this id or the
   * last number, 999999, and the reason of `signal` when that is aborted before the snapshot is published.
   */
  publish(
    folder: string,
    manifest: UnpublishedManifest,
    signal?: AbortSignal,
    options?: PublishOptions,
  ): Promise<PublishedSnapshot>
}

/** The newest snapshot of a project, once one was to be published. */
export interface PublishedSnapshot {
  /** Its manifest. */
  manifest: SnapshotManifest
  /** Whether it was there before, with the same contents, so that nothing was published. */
  unchanged: boolean
}

/** Conditions under which a snapshot is published. */
export interface PublishOptions {
  /**
   * Id of the snapshot that must still be the newest of the project when another is published; null when the project
   * must have none. Otherwise an error named `OutdatedBase` is thrown, and nothing is published. Default: any may be.
   */
  after?: string | null | undefined
}

/** The manifest of a snapshot that is to be published. */
export type UnpublishedManifest = Omit<SnapshotManifest, 'snapshotId'> & {
  /** Id of the snapshot, which only a copy has already. */
  snapshotId?: string
}
