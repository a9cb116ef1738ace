import type { Command } from 'commander'
import type { Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { reasonOf } from '../operation/event-log.js'
import { type ServerWords, wordsOf } from '../settings/words.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { removeFiles, removeFilesAlone } from '../snapshots/pruning.js'
import { holdings } from '../store/holdings.js'
import { checkProjectId, isHalfRemoved, requireProject } from '../store/projects.js'
import {
  type OrganizationRemoval,
  organizationRemoval,
  type ProjectRemoval,
  projectRemoval,
  removeOrganization,
  removeProject,
} from '../store/removal.js'
import { removeUser, type UserRemoval, userRemoval } from '../store/user-removal.js'
import { addCommand, type CommonOptions, withSnapshots, withStore } from './command.js'
import { confirmRemoval, listCounts, withYes } from './confirm.js'
import { counted, print } from './print.js'

type RemovalOptions = CommonOptions & { yes?: boolean }

/** `foldgate project remove` */
export function removeProjectCommand(group: Command): void {
  const about = 'Remove a project with all that is its, such as snapshots and exports.'
  withYes(addCommand(group, 'remove <project>', about)).action((text: string, options: RemovalOptions) =>
    withSnapshots(options, async (store, folder) => {
      const id = checkProjectId(text)
      if (await isHalfRemoved(store, id)) {
        await clearFiles(store, folder, `The project ${id}`)
        return print(options, { id }, `What was left of the files of the project ${id} is removed`)
      }
      const { name, organization } = await requireProject(store, id)
      const what = `The project ${id} (${quoted(name)}, of ${organization})`
      const snapshots = await snapshotsOf(folder, [id])
      const words = wordsOf(folder.catalogue)
      await confirmRemoval(
        `${what} will be removed ${await withFiles(await projectRemoval(store, id), snapshots, words)}`,
        options.yes ?? false,
      )
      const goes = await removeAlone(store, folder, what, () => removeProject(store, id))
      const { projectIds, ...counts } = told(goes, words)
      print(
        options,
        { id, name, snapshots, ...counts },
        `${what} is removed ${await withFiles(goes, snapshots, words)}${deletedLater(snapshots)}`,
      )
    }),
  )
}

/** `foldgate organization remove` */
export function removeOrganizationCommand(group: Command): void {
  const about = 'Remove an organization with its projects; its users stay.'
  withYes(addCommand(group, 'remove <key>', about)).action((key: string, options: RemovalOptions) =>
    withSnapshots(options, async (store, folder) => {
      await clearFiles(store, folder, 'A project that was removed earlier') // what a killed command has left
      const would = await organizationRemoval(store, key)
      const what = `The organization ${key} (${quoted(would.name)})`
      const snapshots = await snapshotsOf(folder, would.projectIds)
      const words = wordsOf(folder.catalogue)
      await confirmRemoval(
        `${what} will be removed ${await ofOrganization(would, snapshots, words)}`,
        options.yes ?? false,
      )
      const goes = await removeAlone(store, folder, what, () => removeOrganization(store, key))
      const { projectIds, ...counts } = told(goes, words)
      print(
        options,
        { id: key, ...counts, projects: projectIds, snapshots },
        `${what} is removed ${await ofOrganization(goes, snapshots, words)}${deletedLater(snapshots)}`,
      )
    }),
  )
}

/** `foldgate user remove` */
export function removeUserCommand(group: Command): void {
  const about = 'Remove a user with all that is theirs, such as keys, sessions and exports.'
  withYes(addCommand(group, 'remove <email>', about)).action((email: string, options: RemovalOptions) =>
    withStore(options, async (store, folder) => {
      const would = await userRemoval(store, email)
      const what = `The user ${would.user.email}`
      await confirmRemoval(`${what} will be removed ${await ofUser(would)}`, options.yes ?? false)
      const { user, ...counts } = await removeUser(store, email)
      // A server removes them otherwise. A folder that is not mounted must not prevent the removal of a user.
      await removeFilesOf(store, folder).catch(() => {})
      print(
        options,
        { id: user.id, name: user.email, ...counts },
        `${what} (${user.id}) is removed ${await ofUser({ user, ...counts })}`,
      )
    }),
  )
}

/** Removes something from the store, and then its files, while no import runs that may be adding to it. */
async function removeAlone<Goes>(
  store: Store,
  folder: DataFolder,
  what: string,
  remove: () => Promise<Goes>,
): Promise<Goes> {
  // One lock for both steps: in between, an import could take it, and the command would be refused.
  return store.withImportLock(async () => {
    const goes = await remove()
    await clearFiles(store, folder, what, removeFilesAlone)
    return goes
  })
}

async function clearFiles(store: Store, folder: DataFolder, what: string, how = removeFiles): Promise<void> {
  try {
    await removeFilesOf(store, folder, how)
  } catch (cause) {
    throw new Refusal(
      `${what} is removed, but not all of its files are (${reasonOf(cause)}): a server removes them, or run the command ` +
        'again',
      { cause },
    )
  }
}

async function removeFilesOf(store: Store, { shared }: DataFolder, how = removeFiles): Promise<void> {
  const exports = shared.openExports(Number.MAX_SAFE_INTEGER) // expires nothing: only servers know the retention
  try {
    await how(store, { snapshots: shared.snapshots, exports })
  } finally {
    exports.close()
  }
}

async function snapshotsOf({ shared }: DataFolder, projectIds: readonly string[]): Promise<number> {
  const { signal } = new AbortController()
  let count = 0
  for (const id of projectIds) count += (await shared.snapshots.list(id, signal)).length
  return count
}

/** What goes, without what users do not know. */
function told<Goes extends ProjectRemoval>(
  goes: Goes,
  { hasAssessments }: ServerWords,
): Omit<Goes, 'assessments'> {
  if (hasAssessments) return goes
  const { assessments, ...rest } = goes
  return rest
}

async function filesAndQueries(goes: ProjectRemoval, snapshots: number, { hasAssessments }: ServerWords) {
  const { assessments, exports } = goes
  return [
    [hasAssessments ? assessments : 0, 'assessment', 'assessments'],
    [snapshots, 'snapshot', 'snapshots'],
    [exports, 'export', 'exports'],
    ...(await heldIn(goes, 'projects')),
  ] as const
}

/** What packages hold of what goes with a removal of this kind. */
async function heldIn(goes: object, kind: 'user' | 'projects' | 'organization') {
  const counts = new Map<string, number>(Object.entries(goes))
  return (await holdings())
    .filter(({ goesWith }) => goesWith.includes(kind))
    .map(({ field, one, several }) => [counts.get(field) ?? 0, one, several] as const)
}

async function withFiles(goes: ProjectRemoval, snapshots: number, words: ServerWords): Promise<string> {
  return listCounts(await filesAndQueries(goes, snapshots, words))
}

async function ofOrganization(
  goes: OrganizationRemoval,
  snapshots: number,
  words: ServerWords,
): Promise<string> {
  const { projectIds, keys, usersWithoutAny } = goes
  const counts = listCounts([
    [projectIds.length, 'project', 'projects'],
    ...(await filesAndQueries(goes, snapshots, words)),
    [keys, 'key that reads nothing else', 'keys that read nothing else'],
    ...(await heldIn(goes, 'organization')),
  ])
  const users = counted(usersWithoutAny, 'user stays, but reads', 'users stay, but read')
  return usersWithoutAny === 0 ? counts : `${counts}; ${users} nothing from now on`
}

async function ofUser(goes: UserRemoval): Promise<string> {
  const { keys, sessions, exports, lastOf } = goes
  const counts = listCounts([
    [keys, 'key', 'keys'],
    [sessions, 'session', 'sessions'],
    [exports, 'export', 'exports'],
    ...(await heldIn(goes, 'user')),
  ])
  return lastOf.length === 0 ? counts : `${counts}; nobody else reads ${lastOf.join(', ')}`
}

function deletedLater(snapshots: number): string {
  return snapshots === 0 ? '' : '; the files of snapshots are deleted a day later'
}
