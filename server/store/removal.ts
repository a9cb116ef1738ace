import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { StoreSchema } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { countHeld } from './holdings.js'
import { revokeKeys } from './keys.js'
import { requireOrganization } from './organizations.js'
import { requireProject } from './projects.js'

/**
 * What removing a project removes with it, as counts, and those of what packages hold. Its snapshots are not in the
 * store.
 */
export interface ProjectRemoval {
  projectIds: string[]
  assessments: number
  exports: number
}

/** What removing an organization removes with it. */
export interface OrganizationRemoval extends ProjectRemoval {
  key: string
  name: string
  /** Keys that are revoked, because they read no other organization. */
  keys: number
  /** Users who stay, but no longer read anything. */
  usersWithoutAny: number
}

type Which<Table extends keyof StoreSchema> = (
  build: ExpressionBuilder<StoreSchema, Table>,
) => Expression<SqlBool>

/** Lists what removing a project would remove. Throws a Refusal when the project is unknown. */
export async function projectRemoval(store: Store, id: string): Promise<ProjectRemoval> {
  const { projectId } = await requireProject(store, id)
  return removalOf(store, build => build('projects.id', '=', projectId))
}

/**
 * Removes a project from the store, with its assessments. Its snapshots and exports stay
 * until `removeFiles` has removed them, and are not served. Throws a Refusal when it is unknown.
 */
export async function removeProject(store: Store, id: string): Promise<ProjectRemoval> {
  return store.transaction(async within => {
    const goes = await projectRemoval(within, id)
    const [projectId = ''] = goes.projectIds
    await dropProjects(within, build => build('projects.id', '=', projectId))
    return goes
  })
}

/** Lists what removing an organization would remove. Throws a Refusal when the organization is unknown. */
export async function organizationRemoval(store: Store, key: string): Promise<OrganizationRemoval> {
  const { name } = await requireOrganization(store, key)
  return {
    ...(await removalOf(store, build => build('organization_key', '=', key))),
    key,
    name,
    keys: await count(store, 'keys', build =>
      build.and([onlyFor(build, key), build('revoked_at', 'is', null)]),
    ),
    ...(await countHeld(store, { organization: key })),
    usersWithoutAny: (await readersOf(store, key)).filter(({ others }) => others === 0).length,
  }
}

/**
 * Removes an organization and its projects, as {@link removeProject} does. Keys that are for no
 * other organization end. Throws a Refusal when it is unknown.
 */
export async function removeOrganization(store: Store, key: string): Promise<OrganizationRemoval> {
  return store.transaction(async within => {
    const goes = await organizationRemoval(within, key)
    const { db } = within
    const at = within.clock.now()
    const concerns = { organization: key }
    const data = { name: goes.name, keys: goes.keys }
    await within.tell({ type: 'organization.removed', subject: key, at, concerns, data })
    await revokeKeys(within, build => onlyFor(build, key))
    await db.deleteFrom('key_organizations').where('organization_key', '=', key).execute()
    await db.deleteFrom('memberships').where('organization_key', '=', key).execute()
    await dropProjects(within, build => build('organization_key', '=', key))
    await db.deleteFrom('organizations').where('key', '=', key).execute()
    return goes
  })
}

async function removalOf(store: Store, which: Which<'projects'>): Promise<ProjectRemoval> {
  const ids = () =>
    store.db
      .selectFrom('projects')
      .select('projects.id')
      .where(build => which(build))
  const rows = await ids().orderBy('sequence').execute()
  return {
    projectIds: rows.map(({ id }) => id),
    assessments: await count(store, 'assessments', build => build('project_id', 'in', ids())),
    exports: await count(store, 'exports', build => build('project_id', 'in', ids())),
    ...(await countHeld(store, { projects: ids() })),
  }
}

async function dropProjects(within: Store, which: Which<'projects'>): Promise<void> {
  const { db, clock } = within
  const projects = db.selectFrom('projects').where(build => which(build))
  for (const row of await projects.select(['id', 'organization_key', 'name']).orderBy('sequence').execute())
    await within.tell({
      type: 'project.removed',
      subject: row.id,
      at: clock.now(),
      concerns: { organization: row.organization_key },
      data: { projectId: row.id, name: row.name },
    })
  for (const table of ['newest_snapshots', 'project_engines', 'assessments'] as const)
    await db.deleteFrom(table).where('project_id', 'in', projects.select('projects.id')).execute()
  await db
    .insertInto('removed_projects')
    .columns(['project_id', 'removed_at'])
    .expression(projects.select(['projects.id', sql.lit(clock.now()).as('removed_at')]))
    .execute()
  await db
    .deleteFrom('projects')
    .where(build => which(build))
    .execute()
}

/** Selects keys that read this organization and no other. */
function onlyFor(build: ExpressionBuilder<StoreSchema, 'keys'>, key: string) {
  const of = build.selectFrom('key_organizations').select('key_id')
  return build.and([
    build('keys.id', 'in', of.where('organization_key', '=', key)),
    build('keys.id', 'not in', of.where('organization_key', '<>', key)),
  ])
}

/** The users who read an organization, each with the number of others that they read. */
export async function readersOf({ db }: Store, key: string): Promise<{ others: number }[]> {
  return db
    .selectFrom('memberships')
    .where('organization_key', '=', key)
    .select(build =>
      build
        .selectFrom('memberships as other')
        .whereRef('other.user_id', '=', 'memberships.user_id')
        .where('other.organization_key', '<>', key)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('others'),
    )
    .execute()
}

/** Counts rows of a table. The types of the query builder do not allow a table that is a parameter. */
export async function count<Table extends keyof StoreSchema>(
  store: Store,
  table: Table,
  which: Which<Table>,
): Promise<number> {
  const row = await store.db
    .selectFrom(table as 'keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(build => (which as unknown as Which<'keys'>)(build))
    .executeTakeFirstOrThrow()
  return row.count
}
