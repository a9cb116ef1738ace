import type { StoredFile } from 'foldgate/internal'
import { uuidOf } from 'foldgate/internal'

/**
 * The keys of the snapshots of all projects. A snapshot exists once its manifest exists, which is written
 * last.
 */
export const MANIFESTS = 'manifests/'
/** Their other files, also of snapshots that are not published yet; a file belongs to all that name it. */
export const TABLES = 'tables/'
/** The files of snapshots of earlier versions, each of which has its own. */
export const FILES = 'files/'
/** What those who are publishing a snapshot name of the files of others, see {@link Linking}. */
export const LINKING = 'linking/'
/** The removals that are under way. */
export const REMOVING = 'removing/'
/** The numbers that publishers have taken, so that no two snapshots of a project have the same one. */
export const NUMBERS = 'numbers/'

export function manifestsOf(projectId: string): string {
  return `${MANIFESTS}${projectId}/`
}

export function manifestKey(projectId: string, snapshotId: string): string {
  return `${manifestsOf(projectId)}${snapshotId}.json`
}

/** The id of a snapshot in the key of its manifest. */
export function idInKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1, -'.json'.length)
}

/** The key of a file of a snapshot. */
export function fileKey(
  { projectId, snapshotId }: { projectId: string; snapshotId: string },
  { file, holder }: Pick<StoredFile, 'file' | 'holder'>,
): string {
  return (holder === undefined ? filesKey(projectId, snapshotId) : tablesKey(projectId, holder)) + file
}

/** The files in one place of a project, which is there before a snapshot has its number. */
export function tablesKey(projectId: string, holder: string): string {
  return `${tablesOf(projectId)}${holder}/`
}

export function tablesOf(projectId: string): string {
  return `${TABLES}${projectId}/`
}

/** The project that a key belongs to. */
export function projectInKey(key: string): string {
  return key.split('/')[1] ?? ''
}

/** The place, or the snapshot, that has a file. */
export function holderInKey(key: string): string {
  return key.split('/')[2] ?? ''
}

/** The files of a snapshot of an earlier version. */
export function filesKey(projectId: string, snapshotId: string): string {
  return `${filesOf(projectId)}${uuidOf(snapshotId)}/`
}

export function filesOf(projectId: string): string {
  return `${FILES}${projectId}/`
}

export function linkingOf(projectId: string): string {
  return `${LINKING}${projectId}/`
}

export function removingOf(projectId: string): string {
  return `${REMOVING}${projectId}/`
}

export function numbersOf(projectId: string): string {
  return `${NUMBERS}${projectId}/`
}

export function numberKey(projectId: string, number: number): string {
  return `${numbersOf(projectId)}${String(number).padStart(6, '0')}`
}

/** The name of a file, or the number, at the end of a key. */
export function nameInKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}
