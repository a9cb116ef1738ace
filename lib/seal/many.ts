import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ProcessDied } from '../flow/parent.js'
import { Places } from '../flow/places.js'
import type { StoredTable } from '../snapshots/manifest.js'
import type { PublishedSnapshot, SnapshotStore } from '../snapshots/store.js'
import { SealError, type SealerError } from './error.js'
import {
  type SealOutcome,
  sealOutcomeOf,
  type TenantJob,
  type TenantsFound,
  type TenantsJob,
  tenantsOutcomeOf,
} from './job.js'
import type { SealProcess } from './process.js'
import { publishSealed, takeSealed, takeTable } from './publish.js'
import type { CheckedTenant, ManyChecked, ManySealed, SealManyRequest, TenantOutcome } from './request.js'
import type { GatheredTables } from './tables.js'
import { atVersions, rememberVersions, type ToldVersions } from './versions.js'

const { COPYFILE_FICLONE } = constants
/** Snapshots that are published at once, while the process seals the next ones. */
const PUBLISHED_AT_ONCE = 8
/** Processes that may die before all other tenants are failed for the same reason. */
const MOST_DEATHS = 5

/** What sealing many tenants works with. */
export interface ManyTools {
  snapshots: SnapshotStore
  /** Folder for the files that are the same for all, which it removes. */
  folder: string
  /** Uses a new process. */
  use<Result>(work: (process: SealProcess) => Promise<Result>): Promise<Result>
  /** The error for whatever ended a sealing. */
  failureOf(cause: unknown): Promise<Error>
}

/** What became of the rows of many tenants, which were sealed or only checked, and what is wrong with whole tables. */
export interface ManyResult extends ManySealed, ManyChecked {}

/** Takes the outcome of a tenant, which a check has no snapshot for. */
type Tell = (outcome: TenantOutcome | CheckedTenant) => void

/**
 * Seals or checks the rows of many tenants, one tenant after the other, in a process that has read all of them. When it dies, as
 * for lack of memory, the tenant that it was sealing has failed, and another process reads all rows again.
 */
export async function sealMany(
  request: SealManyRequest,
  gathered: Omit<GatheredTables, 'base' | 'dispose'>,
  job: TenantsJob,
  tools: ManyTools,
): Promise<ManyResult> {
  const { files, leftOut, unchanged, versions, isRead } = gathered
  const result: ManyResult = {
    ...{ sealed: [], checked: [], failed: [], empty: [] },
    ...{ strays: [], leftOut, problems: [] },
  }
  const tell: Tell = outcome => {
    if ('snapshotId' in outcome) result.sealed.push(outcome)
    else if ('warnings' in outcome) result.checked.push(outcome)
    else if ('error' in outcome) result.failed.push(outcome)
    else result.empty.push(outcome)
    // As for other events, an exception or rejection of the host neither fails the sealing nor ends the host.
    void (async () => request.onOutcome?.(outcome))().catch(() => {})
  }
  if (!isRead) tellUnchanged(request, unchanged, tell)
  let rest = isRead ? (null as string[] | null) : [] // null until all tables were read
  for (let deaths = 0; rest === null || rest.length > 0; ) {
    const reading = tools.use(async process => {
      const found = await process.run(job, tenantsOutcomeOf(job), files)
      result.problems = found.problems ?? []
      if (found.problems && !job.isCheck) throw new SealError(found.problems)
      const rows = rowsOf(found)
      rest ??= begin({ request, unchanged, job, found, rows, tell }, result)
      return sealEach({ request, tools, process, job, found, rows, versions, tell }, rest)
    })
    const died: unknown = await reading.catch(cause => {
      const isEnded = request.signal?.aborted || (cause as Partial<SealerError>).reason === 'closed'
      if (rest === null || isEnded) throw cause
      deaths = MOST_DEATHS // another process cannot read what the first one has read: the others fail for that reason
      return cause
    })
    if (!died || rest === null) break
    const failed = ++deaths < MOST_DEATHS ? rest.splice(0, 1) : rest.splice(0)
    const error = await tools.failureOf(died)
    for (const key of failed) tell({ ...tenantOf(request, key), error })
  }
  return result
}

/** Throws a TypeError when two tenants have one project: it would have the rows of only one of them. */
export function checkProjects(projects: ReadonlyMap<string, string>): void {
  if (!(projects instanceof Map))
    throw new TypeError('projects is no Map of projects by the values of the column')
  const keys = new Map<string, string>()
  for (const [key, projectId] of projects) {
    const other = keys.get(projectId)
    if (other !== undefined)
      throw new TypeError(
        `the keys ${JSON.stringify(other)} and ${JSON.stringify(key)} are of one project: give each one of its own`,
      )
    keys.set(projectId, key)
  }
}

/** Rows of each tenant, of all tables. */
function rowsOf({ tables }: TenantsFound): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { rows = [] } of tables)
    for (const [key, [count]] of rows) if (key !== null) sums.set(key, (sums.get(key) ?? 0) + count)
  return sums
}

/** Reports the tenants whose newest snapshots have their rows, as the versions of all tables tell. */
function tellUnchanged(
  { projects, shared = [] }: SealManyRequest,
  unchanged: GatheredTables['unchanged'],
  tell: Tell,
): void {
  for (const [key, projectId] of projects) {
    const manifest = unchanged.get(key)
    if (!manifest) continue
    const { snapshotId, tables, warnings = [] } = manifest
    const own = tables.filter(({ name }) => !shared.includes(name))
    const rows = own.reduce((sum, table) => sum + table.rows, 0)
    tell({ key, projectId, snapshotId, unchanged: true, rows, warnings })
  }
}

/**
 * Reports tenants that have no rows or the rows of before, and collects keys that belong to no tenant. Returns the keys of
 * the other tenants.
 */
function begin(
  {
    request,
    unchanged,
    job: { tables },
    found,
    rows,
    tell,
  }: Pick<SealingOfMany, 'request' | 'job' | 'found' | 'rows' | 'tell'> & Pick<GatheredTables, 'unchanged'>,
  { strays }: ManySealed,
): string[] {
  const { projects, known, by } = request
  for (const [at, { name: table }] of tables.entries())
    for (const [key, [count, firstRow]] of found.tables[at]?.rows ?? [])
      if (key === null || !projects.has(key)) strays.push({ table, key, rows: count, firstRow })
  const unknown = known ? strays.filter(({ key }) => key === null || !known.has(key)) : []
  if (unknown.length > 0) {
    const said = unknown.map(({ table, key, firstRow }) => {
      const what = key === null ? 'the value is missing' : `${JSON.stringify(key)} is the key of no project`
      return { table, column: by, message: `row ${firstRow}: ${what}` }
    })
    throw new SealError(said)
  }
  tellUnchanged(request, unchanged, tell)
  const others = [...projects].filter(([key]) => !unchanged.has(key))
  for (const [key, projectId] of others) if (!rows.has(key)) tell({ key, projectId })
  // In the order in which the process has stored their rows, of which it holds those of several tenants in memory.
  const stored = others.flatMap(([key]) => (rows.has(key) ? [[key, Buffer.from(key)] as const] : []))
  return stored.sort(([, one], [, other]) => Buffer.compare(one, other)).map(([key]) => key)
}

function tenantOf({ projects }: SealManyRequest, key: string): { key: string; projectId: string } {
  return { key, projectId: projects.get(key) as string }
}

/** What one process seals. */
interface SealingOfMany {
  request: SealManyRequest
  tools: ManyTools
  process: SealProcess
  job: TenantsJob
  found: TenantsFound
  /** Rows of each tenant. */
  rows: ReadonlyMap<string, number>
  /** The versions that the sources told before they were read. */
  versions: ToldVersions | null
  tell: Tell
}

/**
 * Seals the tenants, each of which is taken from the list once its rows were sealed, or have failed. Returns how the
 * process has died while it sealed the first of those that are left.
 */
async function sealEach(sealing: SealingOfMany, keys: string[]): Promise<ProcessDied | null> {
  const { request, tools, process, job } = sealing
  const places = new Places(PUBLISHED_AT_ONCE)
  const publishing: Promise<void>[] = []
  /** Folders of tenants whose files were taken: a process may have few, and there are as many as are published at once. */
  const free: string[] = []
  let folders = 0
  try {
    const shared = await takeShared(sealing)
    const outcome = sealOutcomeOf(job, [...shared.keys()])
    for (let key = keys[0]; key !== undefined; key = keys[0]) {
      request.signal?.throwIfAborted()
      const leave = await places.take()
      const folder = free.pop() ?? `tenant-${++folders}`
      const made = await process.run({ key, folder }, outcome).catch((cause: Error) => {
        if (cause instanceof ProcessDied) throw cause
        return cause
      })
      keys.shift()
      const published = publish(sealing, shared, { key, folder }, made).finally(() => {
        free.push(folder)
        leave()
      })
      publishing.push(published)
    }
    return null
  } catch (cause) {
    if (!(cause instanceof ProcessDied) || request.signal?.aborted) throw cause
    return cause
  } finally {
    await Promise.all(publishing)
    await rm(tools.folder, { recursive: true, force: true })
  }
}

/** Takes the files of the tables that are the same for all tenants. */
async function takeShared({ tools, process, job, found }: SealingOfMany): Promise<Map<string, StoredTable>> {
  const shared = new Map<string, StoredTable>()
  if (job.isCheck) return shared
  await mkdir(tools.folder, { mode: 0o700 })
  for (const [at, table] of job.tables.entries()) {
    const sealed = found.tables[at]?.shared
    if (sealed)
      shared.set(table.name, await takeTable(table, sealed, tools.folder, name => process.take(name)))
  }
  return shared
}

async function publish(
  sealing: SealingOfMany,
  shared: ReadonlyMap<string, StoredTable>,
  { key, folder }: TenantJob,
  outcome: SealOutcome | Error,
): Promise<void> {
  const { request, tools, rows, tell } = sealing
  const tenant = tenantOf(request, key)
  try {
    if (outcome instanceof Error) throw outcome
    if (outcome.problems) throw new SealError(outcome.problems)
    const own = { ...tenant, rows: rows.get(key) ?? 0 }
    if (outcome.checked) return tell({ ...own, warnings: outcome.checked.warnings })
    const { manifest, unchanged } = await publishTenant(sealing, shared, { ...tenant, folder }, outcome)
    tell({ ...own, snapshotId: manifest.snapshotId, unchanged, warnings: manifest.warnings ?? [] })
  } catch (cause) {
    tell({ ...tenant, error: await tools.failureOf(cause) })
  }
}

async function publishTenant(
  { request, tools, process, job, versions }: SealingOfMany,
  shared: ReadonlyMap<string, StoredTable>,
  { key, projectId, folder }: TenantJob & { projectId: string },
  outcome: SealOutcome,
): Promise<PublishedSnapshot> {
  if (!outcome.sealed) throw new Error('nothing was written')
  const { assessmentId, sourceDigest, signal } = request
  const draft = join(tools.folder, `sealed-${randomUUID()}`)
  try {
    await mkdir(draft)
    // Copied, since no file belongs to two projects.
    const put = (file: string) => copyFile(join(tools.folder, file), join(draft, file), COPYFILE_FICLONE)
    const take = (file: string) => process.take(join(folder, file))
    const sealed = await takeSealed(outcome.sealed, job.tables, draft, take, { tables: shared, put })
    const described = {
      projectId,
      ...(assessmentId ? { assessmentId: await assessmentId(key) } : {}),
      ...(sourceDigest ? { sourceDigest: sourceDigest(key) } : {}),
      ...(signal ? { signal } : {}),
    }
    const own = versions?.of(key) ?? null
    const contents = { ...sealed, tables: atVersions(sealed.tables, own) }
    const published = await publishSealed(tools.snapshots, draft, contents, described)
    rememberVersions(tools.snapshots, published, own)
    return published
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
