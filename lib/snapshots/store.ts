import type { SnapshotPort } from '../ports.js'
import type { SnapshotManifest } from './manifest.js'

/**
 * Where snapshots are published, read and removed, by any number of processes: `directorySnapshots` or `s3Snapshots`. A
 * `projectId` that is not a UUID in lower case throws a TypeError. Methods reject with the error of the file system or of
 * the bucket.
 */
export interface SnapshotStore extends SnapshotPort {
  /** Returns the text of `manifest.json` of a snapshot without opening it; null when there is no such snapshot. */
  manifestOf(projectId: string, snapshotId: string, signal: AbortSignal): Promise<string | null>
  /**
   * Lists the ids of the snapshots, newest first, of all projects whose ids come after one (`''` for all) and not after
   * another (`null` for all); absent where it takes as long as to list each.
   */
  listBetween?(
    after: string,
    last: string | null,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns the manifests of a project's snapshots that this version can read, newest first. */
  manifests(projectId: string): Promise<SnapshotManifest[]>
  /**
   * Reads every file of a snapshot where it is stored, as `verifySnapshot` does. Returns what is wrong, one
   * sentence each; nothing when the snapshot is as it was sealed.
   */
  verify(projectId: string, snapshotId: string): Promise<string[]>
  /**
   * Removes snapshots older than the newest `keep` that this version can read, except those in use. Returns
   * the ids removed. Throws a TypeError unless `keep` is a whole number above 0.
   */
  prune(projectId: string, keep: number): Promise<string[]>
  /** Removes all snapshots of a project, except those in use. Returns the ids removed. */
  remove(projectId: string): Promise<string[]>
  /** Removes what killed processes have left behind. */
  sweep(): Promise<void>
  /** Creates a folder to write a snapshot into. Returns its path. */
  draft(): Promise<string>
  /**
   * Publishes a draft as the newest snapshot of its project, atomically, and removes the draft. A copy of a
   * snapshot, whose manifest has a `snapshotId`, keeps that id and its place among the others. Returns the
   * manifest with its `snapshotId`. Throws when other processes keep publishing to the project, when the
   * project has a snapshot with this id, and the reason of `signal` when that is aborted before the snapshot
   * is published.
   */
  publish(
    draft: string,
    manifest: UnpublishedManifest,
    signal?: AbortSignal,
    options?: PublishOptions,
  ): Promise<SnapshotManifest>
}

/** Conditions under which a draft is published. */
export interface PublishOptions {
  /**
   * Id of the snapshot that must still be the newest of the project when the draft is published; null when the project
   * must have none. Otherwise an error named `OutdatedBase` is thrown, and nothing is published. Default: any may be.
   */
  after?: string | null | undefined
}

/** The manifest of a draft. */
export type UnpublishedManifest = Omit<SnapshotManifest, 'snapshotId'> & {
  /** Id of the snapshot, which only a copy has already. */
  snapshotId?: string
}
