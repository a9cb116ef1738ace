/** Id of a snapshot: the number of its place among those of its project, and a UUID. */
const SNAPSHOT_ID = /^(\d{6})-([0-9a-f-]{36})$/
const LAST_NUMBER = 999_999
const PROJECT_ID = /^[0-9a-f-]{36}$/

/** Whether a string has the form of the id of a snapshot. */
export function isSnapshotId(text: string): boolean {
  return SNAPSHOT_ID.test(text)
}

/** Throws a TypeError for an id that no snapshot has. */
export function checkSnapshotId(text: string | undefined): void {
  if (text !== undefined && !isSnapshotId(text))
    throw new TypeError('a snapshot id is six digits, a hyphen and a UUID')
}

/** Throws a TypeError unless it is a UUID in lower case, so that it cannot lead out of its folder. */
export function checkProjectId(text: string): void {
  if (!PROJECT_ID.test(text)) throw new TypeError('a project id is a UUID in lower case')
}

/** Throws a TypeError unless it is a number of snapshots to keep. */
export function checkKeep(keep: number): void {
  if (!(Number.isSafeInteger(keep) && keep >= 1)) throw new TypeError('keep must be a whole number above 0')
}

/** The id of a snapshot. Throws for a number of more than six digits: ids and keys are in order as texts. */
export function snapshotIdOf(number: number, uuid: string): string {
  if (number > LAST_NUMBER)
    throw new Error(
      `the project has the snapshot ${LAST_NUMBER}, which is the last number: seal into a new project`,
    )
  return `${String(number).padStart(6, '0')}-${uuid}`
}

/** The number in an id, or 0 for what is no id. */
export function numberOf(snapshotId: string | undefined): number {
  return Number(SNAPSHOT_ID.exec(snapshotId ?? '')?.[1] ?? 0)
}

const UNREADABLE = '00000000-0000-0000-0000-000000000000'

/** Stands for the id in a manifest that cannot be read, so that no call takes an older snapshot for the newest. */
export function unreadableId(number: number): string {
  return snapshotIdOf(number, UNREADABLE)
}

/** The ids of a project, newest first, that are older than every kept id; an empty list when no id is kept. */
export function olderThan(ids: readonly string[], kept: ReadonlySet<string>): readonly string[] {
  const oldestKept = ids.findLastIndex(id => kept.has(id))
  return oldestKept < 0 ? [] : ids.slice(oldestKept + 1)
}
