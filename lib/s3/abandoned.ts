import { uuidOf } from '../snapshots/ids.js'
import type { Bucket, Listed } from './bucket.js'
import { FILES, idInKey, MANIFESTS, manifestsOf } from './object-keys.js'

/**
 * Removes the files of snapshots that have no manifest and have not changed since a time. Walks through the
 * listings of files and of manifests side by side, and so holds the objects of one project at a time.
 */
export async function removeAbandoned(bucket: Bucket, before: number, signal: AbortSignal): Promise<void> {
  const manifests = byProject(bucket.pages(MANIFESTS, signal))
  let next = await manifests.next()
  for await (const { projectId, objects } of byProject(bucket.pages(FILES, signal))) {
    while (!next.done && isListedBefore(next.value.projectId, projectId)) next = await manifests.next()
    const known = !next.done && next.value.projectId === projectId ? next.value.objects : []
    const abandoned = abandonedOf(objects, known, before)
    if (abandoned.length === 0) continue
    // Listed later than the files: a snapshot that was published meanwhile has its manifest.
    const published = await bucket.list(manifestsOf(projectId), signal)
    await bucket.remove(
      abandonedOf(abandoned, published, before).map(({ key }) => key),
      signal,
    )
  }
}

/** Those of a project's files that belong to no manifest, and to no snapshot with a younger file. */
function abandonedOf(files: readonly Listed[], manifests: readonly Listed[], before: number): Listed[] {
  const kept = new Set(manifests.map(({ key }) => uuidOf(idInKey(key))))
  for (const { key, modifiedAt } of files) if (modifiedAt >= before) kept.add(uuidIn(key))
  return files.filter(({ key }) => !kept.has(uuidIn(key)))
}

interface OfProject {
  projectId: string
  objects: Listed[]
}

/** The objects of each project, of listings in order. */
async function* byProject(pages: AsyncIterable<readonly Listed[]>): AsyncGenerator<OfProject, undefined> {
  let current: OfProject = { projectId: '', objects: [] }
  for await (const page of pages)
    for (const object of page) {
      const [, projectId = ''] = object.key.split('/')
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

/** The snapshot that a file belongs to. */
function uuidIn(key: string): string {
  return key.split('/')[2] ?? ''
}
