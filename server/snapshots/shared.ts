import type { ExportPort } from 'foldgate'
import type { ObjectStore } from 'foldgate/internal'
import type { SnapshotStore } from 'foldgate/sealing'
import type { TrinoEngineOptions } from 'foldgate-trino'
import type { DiskWatch } from './disk-usage.js'

/** The snapshots and exports of a service: in a folder or a bucket that several servers may share. */
export interface Shared {
  /** The kind of place, for messages. */
  readonly what: 'shared folder' | 'shared bucket'
  /** As the user gave it, for messages. */
  readonly name: string
  /** Path of its marker, for messages. */
  readonly markerName: string
  readonly snapshots: SnapshotStore
  /** The objects of the snapshots, for copies of them as they are. */
  readonly objects: ObjectStore
  /** Opens the exports, whose expired files are removed until they are closed. */
  openExports(retentionMs: number): ExportPort & { remove(exportId: string): Promise<void>; close(): void }
  /** Makes it ready to be written. Throws a Refusal when that is impossible. */
  prepare(): Promise<void>
  /** Returns the id in the marker; null when there is no marker. */
  readMarker(): Promise<string | null>
  writeMarker(id: string): Promise<void>
  /** Rejects when it cannot be read or written. Does not check the marker. */
  check(): Promise<void>
  /** Writes something, lists it and removes it; rejects when one of these fails. */
  probe(): Promise<void>
  /** Removes the files of removed snapshots, and what killed processes have left, a day later. It lists all objects. */
  sweep(): Promise<void>
  /**
   * What a cluster reads in a bucket, at the URL by which the cluster knows it; by default, the one that the user
   * gave. Absent from a folder, which the cluster has mounted.
   */
  filesOfCluster?(location: string | null): TrinoEngineOptions['shared']
  /** Starts to measure how much space it takes. */
  watch(): DiskWatch
  /** Closes its connections, and abandons copies in progress. */
  close(): void
}

/** Where the objects of a bucket are; the prefix is empty or ends with a slash. */
export interface BucketPlace {
  bucket: string
  prefix: string
}

/** Opens a shared bucket; local copies of what is read take at most so many bytes in a folder. */
export type OpenSharedBucket = (
  name: string,
  place: BucketPlace,
  copies: { folder: string; bytes: number },
) => Shared
