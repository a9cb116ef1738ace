import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LAST_FILE, writeMadeUpPackage } from '#assessed/made-up/package.js'
import { PLANS } from '#assessed/made-up/plans.js'
import { ORGANIZATIONS, projectId } from '#assessed/made-up/projects.js'
import { codeOf } from '../database/dialect.js'
import { type Store, withControl } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { wordsOf } from '../settings/words.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { filesOf, isPackage, requirePackages } from '../snapshots/folder-tables.js'
import { sealFolder } from '../snapshots/seal-folder.js'
import { sealProjects } from '../snapshots/seal-projects.js'
import { withSealer } from '../snapshots/with-sealer.js'
import { listAssessments, recordAssessed, startAssessment } from '../store/assessments.js'
import { newestSnapshot } from '../store/newest-snapshots.js'
import { addOrganization, listOrganizations } from '../store/organizations.js'
import { addProject, findProject } from '../store/projects.js'

/** What the steps of the preparation share. */
interface Preparation {
  say(text: string): void
  signal: AbortSignal
}

const NOTICE_FILE = 'NOTICE.txt'
/** The organization and the project of a folder with the tables of one, also when the demonstration runs again. */
const OWN_ORGANIZATION = { key: 'demo', name: 'Demonstration' }
const OWN_PROJECT = {
  id: 'd0000000-0000-4000-8000-000000000001',
  organization: OWN_ORGANIZATION.key,
  name: 'Demonstration',
}

/**
 * Fills a data folder: from a package or the tables of one project in the folder `from`, or without it with
 * fictional companies, of which projects that are sealed already stay. Throws a Refusal when tables cannot be sealed.
 */
export async function fill(data: DataFolder, from: string | undefined, progress: Preparation): Promise<void> {
  if (from === undefined) {
    const folder = await madeUpPackage(data, progress)
    progress.say('Sealing it:')
    return withControl(data, store => store.withImportLock(() => sealMadeUp(store, data, folder, progress)))
  }
  if (isPackage(await filesOf(from), data.catalogue)) return fillFromPackage(data, from, progress)
  progress.say('Sealing the tables of the folder.')
  return withControl(data, async store => {
    await register(store, { organizations: [OWN_ORGANIZATION], projects: [OWN_PROJECT] })
    await seal(store, data, { projectId: OWN_PROJECT.id, source: from, signal: progress.signal })
  })
}

async function fillFromPackage(
  data: DataFolder,
  folder: string,
  { say, signal }: Preparation,
): Promise<void> {
  if (existsSync(join(folder, NOTICE_FILE)))
    say(
      `The package has a ${NOTICE_FILE}: sources, licences, and what in it is an estimate. Read it before you pass numbers on.`,
    )
  const { importPackage } = await requirePackages()
  say('Importing the package:')
  await withControl(data, store =>
    importPackage(store, { data, signal }, folder, ({ index, total, project, outcome }) => {
      if (outcome) say(`  [${index}/${total}] ${project}: ${outcome}`)
    }),
  )
}

async function madeUpPackage(data: DataFolder, { say, signal }: Preparation): Promise<string> {
  const folder = join(data.scratch, '..', 'made-up')
  say(
    'The companies, sites, shares and risks of this demonstration are made up; factors come from published figures.',
  )
  if (existsSync(join(folder, LAST_FILE))) return folder
  try {
    await writeMadeUpPackage(folder, signal)
  } catch (cause) {
    signal.throwIfAborted()
    throw new Refusal(
      `The package cannot be written to ${quoted(join(data.name, 'made-up'))} (${codeOf(cause)}): free some room there, or ` +
        'name another folder with --data',
      { cause },
    )
  }
  return folder
}

/** Brings each project of the made-up package to its state. */
async function sealMadeUp(
  store: Store,
  data: DataFolder,
  folder: string,
  { say, signal }: Preparation,
): Promise<void> {
  const projects = PLANS.map(plan => ({
    ...plan,
    id: projectId(plan),
    createdAt: Date.parse(plan.createdAt),
  }))
  const added = await register(store, { organizations: ORGANIZATIONS, projects })
  const { snapshots } = data.shared
  let done = 0
  const end = (name: string, outcome: string) => say(`  [${++done}/${projects.length}] ${name}: ${outcome}`)
  const unsealed: typeof projects = []
  for (const project of projects) {
    const { id, name, state } = project
    signal.throwIfAborted()
    if (state === 'computing' && (await listAssessments(store, id)).length === 0) {
      await startAssessment(store, id)
      end(name, 'started')
    } else if (state !== 'computed') end(name, added.has(id) ? 'registered' : 'unchanged')
    else {
      const [newest] = await snapshots.manifests(id)
      if (newest && newest.snapshotId === (await newestSnapshot(store, id))) end(name, 'unchanged')
      else unsealed.push(project)
    }
  }
  if (unsealed.length === 0) return
  await withSealer(data, snapshots, async startSealer =>
    sealProjects(
      { store, snapshots, words: wordsOf(data.catalogue), sealer: await startSealer() },
      {
        folder,
        projects: unsealed,
        known: new Set(projects.map(({ key }) => key)),
        signal,
        refusal: `The tables of ${quoted(folder)} cannot be sealed:`,
        onSealed: ({ name }) => end(name, 'sealed'),
      },
    ),
  )
}

/** Adds the organizations and projects that are missing. Returns the ids of the added projects. */
function register(
  store: Store,
  {
    organizations,
    projects,
  }: {
    organizations: readonly Parameters<typeof addOrganization>[1][]
    projects: readonly (Parameters<typeof addProject>[1] & { id: string })[]
  },
): Promise<Set<string>> {
  return store.transaction(async within => {
    const added = new Set<string>()
    for (const organization of organizations)
      if ((await listOrganizations(within, [organization.key])).length === 0)
        await addOrganization(within, organization)
    for (const project of projects) {
      if (await findProject(within, project.id)) continue
      await addProject(within, project)
      added.add(project.id)
    }
    return added
  })
}

/** Seals the tables of a project, in an assessment that is completed at once. */
async function seal(
  store: Store,
  data: DataFolder,
  tables: Omit<Parameters<typeof sealFolder>[1], 'assessmentId'>,
): Promise<void> {
  const [words, id, startedAt] = [wordsOf(data.catalogue), randomUUID(), store.clock.now()]
  const folder = { ...tables, ...(words.hasAssessments ? { assessmentId: id } : {}) }
  await sealFolder(data, folder, sealed => recordAssessed(store, { ...sealed, id, startedAt }, words))
}
