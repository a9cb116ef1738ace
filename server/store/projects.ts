import { randomUUID } from 'node:crypto'
import type { ProjectRecord } from 'foldgate'
import type { Store } from '../database/store.js'
import { checkName, isUuid, quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { inPages } from './in-pages.js'
import { requireOrganizations } from './organizations.js'

const PROJECTS_PER_PAGE = 1000

/** A project, with the state that follows from its assessments. */
export interface Project extends ProjectRecord {
  /** Epoch milliseconds. */
  createdAt: number
}

/** Returns the id in lower case. Throws a Refusal when it is not a UUID. */
export function checkProjectId(text: string): string {
  const id = text.toLowerCase()
  if (isUuid(id)) return id
  throw new Refusal(`${quoted(text)} is not a UUID: write it as 8-4-4-4-12 hexadecimal digits`)
}

/**
 * Registers a project after all others, by default with a new id and created now. Throws a Refusal when the
 * organization is unknown, or when the id is not a UUID or is taken.
 */
export async function addProject(
  store: Store,
  project: { organization: string; name: string; id?: string; createdAt?: number },
): Promise<Project> {
  const id = project.id === undefined ? randomUUID() : checkProjectId(project.id)
  const name = checkName(project.name, 'project')
  return store.transaction(async within => {
    const [organization = project.organization] = await requireOrganizations(within, [project.organization])
    await refuseHalfRemoved(within, id)
    const { numInsertedOrUpdatedRows: added } = await within.db
      .insertInto('projects')
      .values({
        id,
        organization_key: organization,
        name,
        created_at: project.createdAt ?? store.clock.now(),
      })
      .onConflict(conflict => conflict.doNothing())
      .executeTakeFirst()
    if (!added) throw new Refusal(`The project ${id} already exists: leave the id out or choose another`)
    const made = await requireProject(within, id)
    await tellOf(within, 'made', made, { name })
    return made
  })
}

/** Whether a project was removed, but may still have files. */
export async function isHalfRemoved({ db }: Store, projectId: string): Promise<boolean> {
  const row = await db
    .selectFrom('removed_projects')
    .select('project_id')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row !== undefined
}

/** Throws a Refusal while files are left of a project that was removed: the new one would have them. */
export async function refuseHalfRemoved(store: Store, projectId: string): Promise<void> {
  if (!(await isHalfRemoved(store, projectId))) return
  throw new Refusal(
    `The project ${projectId} was removed, but some of its files are still there: remove them with "foldgate project ` +
      `remove ${projectId}", then try again`,
  )
}

/** Gives a project another name. Throws a Refusal when the project is unknown. */
export async function renameProject(store: Store, projectId: string, text: string): Promise<Project> {
  const name = checkName(text, 'project')
  return store.transaction(async within => {
    const project = await requireProject(within, projectId)
    const { projectId: id, name: before } = project
    await within.db.updateTable('projects').set({ name }).where('id', '=', id).execute()
    await tellOf(within, 'renamed', project, { name, before })
    return requireProject(within, id)
  })
}

/** Returns a project by id. Throws a Refusal when the id is not a UUID or unknown. */
export async function requireProject(store: Store, text: string): Promise<Project> {
  const id = checkProjectId(text)
  const project = await findProject(store, id)
  if (!project) throw new Refusal(`There is no project ${id}: see "foldgate project list"`)
  return project
}

/** Returns a project by id, or null. */
export async function findProject(store: Store, id: string): Promise<Project | null> {
  const row = await selectProjects(store).where('id', '=', id.toLowerCase()).executeTakeFirst()
  return row ? asProject(row) : null
}

/** Returns the ids of these that belong to projects. */
export async function existingProjects({ db }: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set() // PostgreSQL does not accept an empty list
  const rows = await db.selectFrom('projects').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Lists projects in order of registration: all of them, or a page of those of some organizations. */
export async function listProjects(
  store: Store,
  page?: { organizations: readonly string[]; after: number; limit: number },
): Promise<Project[]> {
  if (page?.organizations.length === 0) return []
  let query = selectProjects(store).orderBy('sequence')
  if (page) {
    const { organizations, after, limit } = page
    query = query.where('organization_key', 'in', organizations).where('sequence', '>', after).limit(limit)
  }
  return (await query.execute()).map(asProject)
}

/** Reads all projects in order of registration. */
export function projectsInOrder(store: Store): AsyncGenerator<Project, void> {
  return inPages(PROJECTS_PER_PAGE, async after => {
    const page = selectProjects(store)
      .where('sequence', '>', after?.sequence ?? 0)
      .orderBy('sequence')
      .limit(PROJECTS_PER_PAGE)
    return (await page.execute()).map(asProject)
  })
}

/** Throws a Refusal for a project that does not exist, or that belongs to none of these organizations. */
export async function refuseUnread(
  store: Store,
  projectIds: readonly string[],
  organizations: readonly string[],
): Promise<void> {
  for (const id of projectIds) {
    const project = await findProject(store, id)
    if (!project || !organizations.includes(project.organization))
      throw new Refusal(
        `The organizations of the key have no project ${quoted(id)}: name one that it can read`,
      )
  }
}

/** Sets the engine that runs the queries of a project; null for the default one. */
export async function setEngine(store: Store, projectId: string, engine: string | null): Promise<void> {
  await store.transaction(async within => {
    await within.db.deleteFrom('project_engines').where('project_id', '=', projectId).execute()
    if (engine !== null)
      await within.db.insertInto('project_engines').values({ project_id: projectId, engine }).execute()
    await tellOf(within, 'engine-set', await requireProject(within, projectId), { engine })
  })
}

async function tellOf(
  within: Store,
  what: 'made' | 'renamed' | 'engine-set',
  { projectId, organization }: Project,
  data: object,
): Promise<void> {
  await within.tell({
    type: `project.${what}`,
    subject: projectId,
    at: within.clock.now(),
    concerns: { organization },
    data: { projectId, ...data },
  })
}

function selectProjects(store: Store) {
  return store.db
    .selectFrom('projects')
    .leftJoin('project_engines', 'project_engines.project_id', 'projects.id')
    .selectAll('projects')
    .select('engine')
    .select(build =>
      (['completed', 'running'] as const).map(state =>
        build
          .exists(
            build
              .selectFrom('assessments')
              .select('assessments.id')
              .whereRef('assessments.project_id', '=', 'projects.id')
              .where('assessments.state', '=', state),
          )
          .as(state),
      ),
    )
}

function asProject(
  row: Awaited<ReturnType<ReturnType<typeof selectProjects>['executeTakeFirstOrThrow']>>,
): Project {
  return {
    projectId: row.id,
    name: row.name,
    organization: row.organization_key,
    sequence: row.sequence,
    completed: Boolean(row.completed),
    running: Boolean(row.running),
    ...(row.engine === null ? {} : { engine: row.engine }),
    createdAt: row.created_at,
  }
}
