import type { SnapshotPort } from 'foldgate'

/** A project that shows the newest snapshot of another one, so that it is built anew. */
export interface Face {
  projectId: string
  of: string
}

/** Snapshots of a few projects as those of many: each face has them under an id of its own. */
export function snapshotsOfFaces(snapshots: SnapshotPort, faces: readonly Face[]): SnapshotPort {
  const sealed = new Map(faces.map(face => [face.projectId, face.of]))
  return {
    async list(projectId, signal) {
      const ids = await snapshots.list(sealed.get(projectId) ?? projectId, signal)
      return ids.map(id => `${id}-${projectId}`)
    },
    async open(projectId, snapshotId, signal) {
      const id = snapshotId.slice(0, -projectId.length - 1)
      const lease = await snapshots.open(sealed.get(projectId) ?? projectId, id, signal)
      return lease && { ...lease, snapshotId }
    },
  }
}
