import { randomUUID } from 'node:crypto'
import type { Store } from '../database/store.js'
import { isPackage } from '../import/check.js'
import { filesOf } from '../import/folder-files.js'
import { sealFolder } from '../import/seal-folder.js'
import { wordsOf } from '../settings/words.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { recordAssessed } from '../store/assessments.js'
import { addOrganization, listOrganizations } from '../store/organizations.js'
import { addProject, findProject } from '../store/projects.js'

const ORGANIZATION = 'demo'
/** The project of the folder, also when the demonstration runs again. */
const PROJECT = 'd0000000-0000-4000-8000-000000000001'

/** Whether a folder has the tables of one project, and is no package. */
export async function isOfOneProject(folder: string, { catalogue }: DataFolder): Promise<boolean> {
  return !isPackage(await filesOf(folder), catalogue)
}

/** Seals the tables of a folder for the one project of a demonstration. Throws a Refusal as sealing does. */
export async function sealOwnFolder(
  store: Store,
  data: DataFolder,
  { source, signal }: { source: string; signal: AbortSignal },
): Promise<void> {
  if ((await listOrganizations(store, [ORGANIZATION])).length === 0)
    await addOrganization(store, { key: ORGANIZATION, name: 'Demonstration' })
  if (!(await findProject(store, PROJECT)))
    await addProject(store, { id: PROJECT, organization: ORGANIZATION, name: 'Demonstration' })
  const [words, id, startedAt] = [wordsOf(data.catalogue), randomUUID(), store.clock.now()]
  const folder = { projectId: PROJECT, source, signal, ...(words.hasAssessments ? { assessmentId: id } : {}) }
  await sealFolder(data, folder, manifest => recordAssessed(store, { manifest, id, startedAt }, words))
}
