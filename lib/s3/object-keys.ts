import { uuidOf } from '../snapshots/ids.js'

/**
 * The keys of the snapshots of all projects. A snapshot exists once its manifest exists, which is written
 * last.
 */
export const MANIFESTS = 'manifests/'
/** Their other files, also of snapshots that are not published yet. */
export const FILES = 'files/'
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

/** The files of a snapshot, which have their place before the snapshot has its number. */
export function filesKey(projectId: string, snapshotId: string): string {
  return filesKeyOf(projectId, uuidOf(snapshotId))
}

export function filesKeyOf(projectId: string, uuid: string): string {
  return `${filesOf(projectId)}${uuid}/`
}

/** The files of all snapshots of a project. */
export function filesOf(projectId: string): string {
  return `${FILES}${projectId}/`
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
