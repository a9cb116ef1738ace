import { randomUUID } from 'node:crypto'
import { DamagedSnapshot, parseManifest, workOfNobody } from 'foldgate/internal'
import { snapshotFiles } from 'foldgate/sealing'
import { type Bucket, inParallel, type Listed } from './bucket.js'
import { stopwatch } from './linking.js'
import {
  fileKey,
  holderInKey,
  idInKey,
  linkingOf,
  manifestsOf,
  nameInKey,
  projectInKey,
  removingOf,
  tablesOf,
} from './object-keys.js'

/** Removing gives up after an hour, before publishers and sweeps take it for ended. */
const MOST_MS = 3_600_000

/**
 * Removes the files of a project that no snapshot names, nor one that is being published, as {@link Linking}
 * describes; only those that have not changed since `before`. Removes nothing while the project has a manifest that this
 * version does not read.
 */
export async function removeUnnamed(
  bucket: Bucket,
  projectId: string,
  signal: AbortSignal,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  const elapsed = stopwatch()
  const mark = removingOf(projectId) + randomUUID()
  const unnamed = await find().catch(async cause => {
    await bucket.remove([mark], workOfNobody().signal).catch(() => {}) // a sweep will
    throw cause
  })
  async function find(): Promise<string[]> {
    await bucket.putNew(mark, '\n', signal)
    const listed = await bucket.list(tablesOf(projectId), signal)
    const old = listed.filter(({ modifiedAt }) => modifiedAt < before)
    return old.length > 0 ? unnamedOf(bucket, projectId, old, signal) : []
  }
  // From here on, the mark stays when this fails: a store that did not answer may remove a file later.
  await inParallel(unnamed, async key => {
    if (elapsed() > MOST_MS) throw new Error('removing files took more than an hour')
    await bucket.remove([key], signal)
  })
  await bucket.remove([mark], signal)
}

async function unnamedOf(
  bucket: Bucket,
  projectId: string,
  files: readonly Listed[],
  signal: AbortSignal,
): Promise<string[]> {
  const announced = await bucket.list(linkingOf(projectId), signal)
  const holders = new Set(announced.map(({ key }) => nameInKey(key)))
  const kept = new Set<string>()
  await inParallel(announced, async ({ key }) => {
    for (const linked of ((await bucket.text(key, signal)) ?? '').split('\n')) kept.add(linked)
  })
  // Only then: a publisher that has ended since has a manifest.
  const manifests = await bucket.list(manifestsOf(projectId), signal)
  let isKnown = true
  await inParallel(manifests, async ({ key }) => {
    const named = await namedBy(bucket, key, signal)
    for (const each of named ?? []) kept.add(each)
    isKnown &&= named !== null
  })
  if (!isKnown) return []
  return files.map(({ key }) => key).filter(key => !kept.has(key) && !holders.has(holderInKey(key)))
}

/** The keys that a manifest names, none once it is removed; null when this version does not read it. */
export async function namedBy(
  bucket: Bucket,
  manifest: string,
  signal: AbortSignal,
): Promise<string[] | null> {
  const text = await bucket.text(manifest, signal)
  if (text === null) return []
  const place = { projectId: projectInKey(manifest), snapshotId: idInKey(manifest) }
  try {
    const read = parseManifest(text)
    return read && snapshotFiles(read).map(file => fileKey(place, file))
  } catch (cause) {
    if (cause instanceof DamagedSnapshot) return null
    throw cause
  }
}
