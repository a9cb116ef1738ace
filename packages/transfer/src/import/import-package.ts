import type { SnapshotStore } from 'foldgate/sealing'
import {
  type Assessment,
  addOrganization,
  addProject,
  type DataFolder,
  digestOf,
  endAssessment,
  findProject,
  listAssessments,
  listOrganizations,
  newestSnapshot,
  type PackageProblem,
  packageRefusal,
  type ServerWords,
  type Store,
  sealProjects,
  startAssessment,
  withSealer,
  wordsOf,
} from 'foldgate-server/parts'
import { checkProjects, type Package, readPackage } from './package.js'
import type { PackageProject } from './registers.js'
import { digestFiles } from './tables.js'

/**
 * What an import did for a project: `sealed` a snapshot and completed its assessment; `started` an assessment
 * that is still running; only `registered` it; or left it `unchanged`, because everything was there.
 */
export type ImportOutcome = 'sealed' | 'started' | 'registered' | 'unchanged'

/** Progress of an import, reported before and after each project, those first that are sealed: `outcome` is absent before. */
export interface ImportProgress {
  /** From 1. */
  index: number
  total: number
  project: string
  outcome?: ImportOutcome
}

/** What an import did. */
export interface ImportSummary {
  organizationsAdded: number
  projectsAdded: number
  projects: { id: string; name: string; outcome: ImportOutcome }[]
  /** What the catalogue declares to be a warning, in the projects that were sealed. */
  warnings: PackageProblem[]
  /** Files of the package that were ignored. */
  leftOut: string[]
}

const REFUSED = 'The package cannot be imported and nothing was written:'

interface Import {
  store: Store
  snapshots: SnapshotStore
  digest: string
  words: ServerWords
}

/**
 * Imports a package: registers its organizations and projects, oldest first, and brings each project to its
 * state. A second import continues where the first stopped and adds nothing twice; when tables have changed,
 * all computed projects are sealed again. Throws a Refusal that lists everything that is wrong with the
 * registers and the tables, before it writes anything.
 */
export async function importPackage(
  store: Store,
  options: { data: DataFolder; signal?: AbortSignal },
  folder: string,
  onProgress: (progress: ImportProgress) => void = () => {},
): Promise<ImportSummary> {
  return store.withImportLock(async () => {
    const { data, signal } = options
    const given = await readPackage(folder, data.catalogue)
    const digest = await digestFiles(folder, given.tables, signal)
    const { snapshots } = data.shared
    const words = wordsOf(data.catalogue)
    return withSealer(data, snapshots, async startSealer => {
      const work = { store, snapshots, digest, words }
      const unsealed: PackageProject[] = []
      for (const project of given.projects)
        if (project.state === 'computed' && (await findSealed(work, project)) === null) unsealed.push(project)
      const { problems, warnings } = await checkProjects(startSealer, given, unsealed, signal)
      if (problems.length > 0) throw packageRefusal(REFUSED, problems)
      const added = await register(store, given)
      const done = new Map<string, ImportOutcome>()
      const total = given.projects.length
      const begin = ({ name }: PackageProject) => onProgress({ index: done.size + 1, total, project: name })
      const end = ({ id, name }: PackageProject, outcome: ImportOutcome) => {
        done.set(id, outcome)
        onProgress({ index: done.size, total, project: name, outcome })
      }
      if (unsealed.length > 0)
        await sealProjects(
          { store, snapshots, words, sealer: await startSealer() },
          {
            folder,
            projects: unsealed,
            known: new Set(given.projects.map(({ key }) => key)),
            sourceDigest: project => digestOfProject(work, project),
            signal,
            refusal: 'The tables have changed during the import:', // they were right when they were checked
            onBegin: begin,
            onSealed: project => end(project, 'sealed'),
          },
        )
      for (const project of given.projects) {
        if (done.has(project.id)) continue
        begin(project)
        signal?.throwIfAborted()
        const isNew = added.projects.has(project.id)
        end(project, (await bringToState(work, project)) ?? (isNew ? 'registered' : 'unchanged'))
      }
      return {
        organizationsAdded: added.organizations,
        projectsAdded: added.projects.size,
        projects: given.projects.map(({ id, name }) => ({ id, name, outcome: done.get(id) ?? 'unchanged' })),
        warnings,
        leftOut: given.leftOut,
      }
    })
  })
}

/** Adds new organizations and projects in one transaction; those already registered keep their names. */
function register(store: Store, given: Package): Promise<{ organizations: number; projects: Set<string> }> {
  return store.transaction(async within => {
    const known = new Set((await listOrganizations(within)).map(organization => organization.key))
    const organizations = given.organizations.filter(organization => !known.has(organization.key))
    for (const organization of organizations) await addOrganization(within, organization)
    const projects = new Set<string>()
    for (const project of given.projects) {
      const registered = await findProject(within, project.id)
      if (registered && registered.organization !== project.organization) {
        const message = `the project ${project.id} is registered for the organization ${registered.organization} already`
        throw packageRefusal(REFUSED, [{ place: 'projects.csv', column: 'organization_key', message }])
      }
      if (registered) continue
      await addProject(within, project)
      projects.add(project.id)
    }
    return { organizations: organizations.length, projects }
  })
}

/** Brings a project to its state, unless it has to be sealed. Returns null for a project that needed no work. */
async function bringToState(work: Import, project: PackageProject): Promise<ImportOutcome | null> {
  if (project.state === 'notComputed') return null
  if (project.state === 'computing') {
    if ((await listAssessments(work.store, project.id)).length > 0) return null
    await startAssessment(work.store, project.id)
    return 'started'
  }
  const sealed = await findSealed(work, project)
  if (sealed?.state !== 'running') return null
  await endAssessment(work.store, sealed.id, 'completed', work.words)
  return 'sealed'
}

/**
 * The assessment whose tables are sealed already: completed, or still running after an interrupted import.
 */
async function findSealed(work: Import, project: PackageProject): Promise<Assessment | null> {
  const [newest] = await work.snapshots.manifests(project.id)
  if (newest?.sourceDigest !== digestOfProject(work, project) || !(await findProject(work.store, project.id)))
    return null
  const known = await newestSnapshot(work.store, project.id)
  if (known !== null && known !== newest.snapshotId) return null
  const assessments = await listAssessments(work.store, project.id)
  return assessments.find(({ id, state }) => id === newest.assessmentId && state !== 'failed') ?? null
}

/** Digest of the tables and of the key that separates the rows of the project. */
function digestOfProject({ digest }: Import, project: PackageProject): string {
  return digestOf(`${digest} ${project.key}`)
}
