import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { digestOfFile } from 'foldgate/internal'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import { s3Snapshots } from 'foldgate-s3'
import type { S3Snapshots } from '#s3/snapshots.js'
import { publishSmall } from '../../../contracts/test/check/subjects.js'
import { BUCKET, Gateway } from './gateway.js'
import { type Fate, FaultyStore, type Seen } from './proxy.js'

/** How long a store may hang in these tests. */
const TIMEOUT_MS = 400
const { signal } = new AbortController()

/** Snapshots of a new project for each test of a suite, below a new prefix, in a store that can be made to fail. */
export function faultySnapshots(what: string) {
  let gateway: Gateway
  let store: FaultyStore
  let folder: string
  let prefix: string
  let projectId: string
  let snapshots: S3Snapshots
  const opened: S3Snapshots[] = []

  before(async function () {
    this.timeout(450_000)
    const found = await Gateway.open(what)
    if (!found) return this.skip()
    gateway = found
    store = await FaultyStore.before(gateway.url)
  })
  after(async () => {
    await store?.close()
    await gateway?.close()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    prefix = `${randomUUID()}/`
    projectId = randomUUID()
    snapshots = open()
  })
  afterEach(async () => {
    store.heal()
    for (const each of opened.splice(0)) each.close()
    await rm(folder, { recursive: true, force: true })
  })

  function open(cache: { bytes?: number } = {}): S3Snapshots {
    const client = gateway.client({ endpoint: store.url })
    const copies = { folder, bytes: 1_000_000, ...cache }
    const made = s3Snapshots({ client, bucket: BUCKET, prefix, timeoutMs: TIMEOUT_MS, cache: copies })
    opened.push(made)
    return made
  }
  /** Seals a snapshot, of which one file has this many bytes more. */
  const seal = (given = snapshots, more = 0, ending?: AbortSignal) => publishSmall(given, projectId, more, ending)
  const list = (given = snapshots) => given.list(projectId, signal)
  /** Takes a lease on all files of a snapshot. */
  function take(given: S3Snapshots, manifest: SnapshotManifest, ending = signal) {
    const files = snapshotFiles(manifest).map(({ file }) => file)
    return given.open(projectId, manifest.snapshotId, files, ending)
  }
  /** Fails unless the files of a snapshot can be read. */
  async function mustOpen(given: S3Snapshots, manifest: SnapshotManifest): Promise<void> {
    const lease = await take(given, manifest)
    assert.ok(lease)
    for (const { file, sha256 } of snapshotFiles(manifest))
      assert.equal(await digestOfFile(join(lease.folder, file)), sha256, file)
    await lease.release()
  }
  async function keys(part: string): Promise<string[]> {
    const asked = { Bucket: BUCKET, Prefix: prefix + part }
    const { Contents = [] } = await gateway.client().send(new ListObjectsV2Command(asked))
    return Contents.map(({ Key = '' }) => Key.slice(prefix.length))
  }
  /** Names of the copies on this machine. */
  async function copies(): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.flatMap(entry => (entry.isFile() ? [entry.name] : [])).sort()
  }
  const to = (method: string, part: string, fate: Fate) => (request: Seen) =>
    request.method === method && request.key.startsWith(prefix + part) ? fate : 'pass'
  /** The fate of the first request that fits; the others pass. */
  const once = (fits: (request: Seen) => Fate) => {
    let isOver = false
    return (request: Seen): Fate => {
      const fate = isOver ? 'pass' : fits(request)
      isOver ||= fate !== 'pass'
      return fate
    }
  }

  return {
    get gateway() {
      return gateway
    },
    get store() {
      return store
    },
    get folder() {
      return folder
    },
    get prefix() {
      return prefix
    },
    get projectId() {
      return projectId
    },
    get snapshots() {
      return snapshots
    },
    open,
    seal,
    list,
    take,
    mustOpen,
    keys,
    copies,
    to,
    once,
  }
}
