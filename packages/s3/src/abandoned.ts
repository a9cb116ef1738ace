import { uuidOf } from 'foldgate/internal'
import type { Bucket, Listed } from './bucket.js'
import {
  FILES,
  holderInKey,
  idInKey,
  LINKING,
  MANIFESTS,
  manifestsOf,
  projectInKey,
  REMOVING,
  TABLES,
} from './object-keys.js'
import { namedBy, removeUnnamed } from './remove-unnamed.js'

/**
 * Removes the files of snapshots that have no manifest and have not changed since a time, and what publishers and
 * removals that have ended since then have left. Walks through the listings of files and of manifests side by side, and
 * so holds the objects of one project at a time.
 */
export async function removeAbandoned(bucket: Bucket, before: number, signal: AbortSignal): Promise<void> {
  for (const part of [LINKING, REMOVING])
    for await (const page of bucket.pages(part, signal)) await bucket.remove(keysBefore(page, before), signal)
  for await (const { projectId, objects, manifests } of withManifests(bucket, TABLES, signal)) {
    const old = keysBefore(objects, before)
    if (old.length === 0 || (await areNamed(bucket, old, manifests, signal))) continue
    await removeUnnamed(bucket, projectId, signal, before)
  }
  for await (const { projectId, objects, manifests } of withManifests(bucket, FILES, signal)) {
    const abandoned = abandonedOf(objects, manifests, before)
    if (abandoned.length === 0) continue
    // Listed later than the files: a snapshot that was published meanwhile has its manifest.
    const published = await bucket.list(manifestsOf(projectId), signal)
    await bucket.remove(
      abandonedOf(abandoned, published, before).map(({ key }) => key),
      signal,
    )
  }
}

function keysBefore(objects: readonly Listed[], before: number): string[] {
  return objects.filter(({ modifiedAt }) => modifiedAt < before).map(({ key }) => key)
}

/** Whether manifests name all of these files. Reads the newest first, which name most. */
async function areNamed(
  bucket: Bucket,
  keys: readonly string[],
  manifests: readonly Listed[],
  signal: AbortSignal,
): Promise<boolean> {
  const left = new Set(keys)
  for (const { key } of manifests.toReversed()) {
    for (const named of (await namedBy(bucket, key, signal)) ?? []) left.delete(named)
    if (left.size === 0) return true
  }
  return false
}

/** The files of a project that belong to no manifest, and to no snapshot with a younger file. */
function abandonedOf(files: readonly Listed[], manifests: readonly Listed[], before: number): Listed[] {
  const kept = new Set(manifests.map(({ key }) => uuidOf(idInKey(key))))
  for (const { key, modifiedAt } of files) if (modifiedAt >= before) kept.add(holderInKey(key))
  return files.filter(({ key }) => !kept.has(holderInKey(key)))
}

interface OfProject {
  projectId: string
  objects: Listed[]
}

/** The objects of each project below `part`, and its manifests. */
async function* withManifests(
  bucket: Bucket,
  part: string,
  signal: AbortSignal,
): AsyncGenerator<OfProject & { manifests: readonly Listed[] }> {
  const manifests = byProject(bucket.pages(MANIFESTS, signal))
  let next = await manifests.next()
  for await (const { projectId, objects } of byProject(bucket.pages(part, signal))) {
    while (!next.done && isListedBefore(next.value.projectId, projectId)) next = await manifests.next()
    const isOfProject = !next.done && next.value.projectId === projectId
    yield { projectId, objects, manifests: isOfProject && next.value ? next.value.objects : [] }
  }
}

/** The objects of each project, of listings in order. */
async function* byProject(pages: AsyncIterable<readonly Listed[]>): AsyncGenerator<OfProject, undefined> {
  let current: OfProject = { projectId: '', objects: [] }
  for await (const page of pages)
    for (const object of page) {
      const projectId = projectInKey(object.key)
      if (current.projectId !== projectId) {
        if (current.objects.length > 0) yield current
        current = { projectId, objects: [] }
      }
      current.objects.push(object)
    }
  if (current.objects.length > 0) yield current
}

/** Whether a bucket lists the keys of one project before those of another: it orders keys by their bytes. */
function isListedBefore(projectId: string, other: string): boolean {
  return Buffer.compare(Buffer.from(`${projectId}/`), Buffer.from(`${other}/`)) < 0
}
