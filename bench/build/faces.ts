import type { SnapshotPort } from 'foldgate'

/** A project that serves the newest snapshot of another project under its own id, and so has its own builds. */
export interface Face {
  projectId: string
  of: string
}

/** Serves the snapshots of a few projects as those of many faces, each with its own snapshot ids. */
export function snapshotsOfFaces(snapshots: SnapshotPort, faces: readonly Face[]): SnapshotPort {
  const sealed = new Map(faces.map(face => [face.projectId, face.of]))
  const idOf = (projectId: string, snapshotId: string) => snapshotId.slice(0, -projectId.length - 1)
  return {
    async list(projectId, signal) {
      const ids = await snapshots.list(sealed.get(projectId) ?? projectId, signal)
      return ids.map(id => `${id}-${projectId}`)
    },
    manifestOf: (projectId, snapshotId, signal) =>
      snapshots.manifestOf(sealed.get(projectId) ?? projectId, idOf(projectId, snapshotId), signal),
    async open(projectId, snapshotId, files, signal) {
      const of = sealed.get(projectId) ?? projectId
      const lease = await snapshots.open(of, idOf(projectId, snapshotId), files, signal)
      return lease && { ...lease, snapshotId }
    },
  }
}
