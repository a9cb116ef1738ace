import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnalyticsApi,
  createAnalyticsApi,
  type DirectorySnapshots,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
} from 'foldgate'
import type { OwnershipView, Page, ProjectDescription, Row } from 'foldgate/client'
import { fromFolder, openSealer } from 'foldgate/sealing'
import catalogue from '#assessed/catalogue.js'
import { writeMadeUpPackage } from '#assessed/made-up/package.js'
import { PLANS } from '#assessed/made-up/plans.js'
import { TestHost } from '../../service/ports.js'
import { realData } from './folder.js'
import { FOLD_NAMES } from './folds.js'
import { indexBy } from './group.js'
import { type PackageProject, readPackage } from './package.js'
import { writeTinyPackage } from './tiny.js'

/** Point of view of a query. Without an entity id, the root. */
export interface Point {
  entityId?: string
  ownershipView?: OwnershipView
  /** The entity whose subtree is all that the caller sees. Default: the caller sees the whole project. */
  seeing?: string
}

/** The computed projects of all available packages, sealed and served with the reference catalogue. */
export interface Assessed {
  /** The project with this key. */
  project(key: string): PackageProject
  describe(project: PackageProject, relation?: string): Promise<ProjectDescription>
  /** All rows of a query, page by page. */
  rows(project: PackageProject, sql: string, point?: Point): Promise<Row[]>
  /** The rows of a named query, which fit on a page. */
  run(project: PackageProject, query: string, parameters: Record<string, unknown>, point?: Point): Promise<Row[]>
}

/** Keys of the generated projects. */
export const MADE_UP = PLANS.filter(plan => plan.state === 'computed').map(plan => plan.key)
/** Keys of the real projects; empty if the real data is not available. */
export const REAL = realData === null ? [] : computedProjects(realData).map(project => project.key)

const BUILDING_MS = 120_000
const ORGANIZATION = 'assessed'
const KEY = 'key-assessed'
const AUTHORIZATION = { authorization: `Bearer ${KEY}` }
const LARGEST_PAGE = 500

interface Serving extends Assessed {
  close(): Promise<void>
}

let shared: Promise<Serving> | undefined

// At the root, since any of the suites that share the projects may end last.
after(async () => (await shared?.catch(() => undefined))?.close())

/** The shared projects for one suite. They are sealed, and their folds built, before its first test. */
export function assessed(): { readonly current: Assessed } {
  let current: Assessed | undefined
  before(async function () {
    this.timeout(BUILDING_MS)
    shared ??= assess()
    current = await shared
  })
  return {
    get current() {
      if (!current) throw new Error('the projects are sealed only when the tests run')
      return current
    },
  }
}

async function assess(): Promise<Serving> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const seal = (source: string) => sealPackage(source, snapshots, join(folder, 'scratch'))
  const ownPackages = async () => {
    const [madeUp, tiny] = [join(folder, 'made-up'), join(folder, 'tiny')]
    await Promise.all([writeMadeUpPackage(madeUp), writeTinyPackage(tiny)])
    return [...(await seal(madeUp)), ...(await seal(tiny))]
  }
  const [own, real] = await Promise.all([ownPackages(), realData === null ? [] : seal(realData)])
  const serving = serve(
    indexBy([...own, ...real], project => project.key),
    snapshots,
    folder,
  )
  try {
    // Runs two builds at a time; the tests would start them one by one.
    const everyFold = `SELECT ${FOLD_NAMES.map(fold => `(SELECT count(*) FROM ${fold})`).join(', ')}`
    await Promise.all([...own, ...real].map(project => serving.rows(project, everyFold)))
    return serving
  } catch (cause) {
    await serving.close()
    throw cause
  }
}

function serve(projects: ReadonlyMap<string, PackageProject>, snapshots: DirectorySnapshots, folder: string): Serving {
  const host = new TestHost()
  host.callers.set(KEY, { keyId: KEY, ownerId: 'ada', organizations: [ORGANIZATION] })
  for (const { id, key } of projects.values())
    host.addProject({ projectId: id, name: key, organization: ORGANIZATION, completed: true })
  const exports = directoryExports(join(folder, 'exports'), { retentionMs: 86_400_000 })
  const api = createAnalyticsApi({
    baseUrl: 'http://localhost',
    secrets: ['a secret of the tests, long enough to seal'],
    catalogue,
    keys: host.keyPort,
    projects: host.projectPort,
    snapshots,
    exports,
    quota: { take: async () => ({ allowed: true, limit: 600, remaining: 599, windowMs: 60_000, resetMs: 60_000 }) },
    engine: duckdbEngine({ folder: join(folder, 'engine'), connections: 3 }),
    limits: { connectionWaitMs: BUILDING_MS, buildTimeoutMs: BUILDING_MS },
  })
  return {
    project(key) {
      const project = projects.get(key)
      if (!project) throw new RangeError(`no package has a computed project ${key}`)
      return project
    },
    async describe({ id }, relation) {
      const params = relation === undefined ? { projectId: id } : { projectId: id, relation }
      return (await api.call('projects/describe', params, AUTHORIZATION)).result as ProjectDescription
    },
    rows: ({ id }, sql, { seeing, ...point } = {}) => {
      const key = seeing === undefined ? KEY : `${KEY}-${seeing}`
      const caller = { keyId: key, ownerId: 'ada', organizations: [ORGANIZATION] }
      if (seeing !== undefined) host.callers.set(key, { ...caller, only: { rows: { entities: [seeing] } } })
      return allRows(api, { projectId: id, sql, ...point }, { authorization: `Bearer ${key}` })
    },
    async run({ id }, query, parameters, point = {}) {
      const page = { limit: LARGEST_PAGE }
      const params = { projectId: id, parameters, page, ...point }
      return (await api.call(`queries/${query}`, params, AUTHORIZATION)).result.items
    },
    async close() {
      await api.close()
      exports.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Seals the computed projects of the package in `source`. */
async function sealPackage(source: string, snapshots: DirectorySnapshots, folder: string): Promise<PackageProject[]> {
  const projects = computedProjects(source)
  const sealer = await openSealer({ catalogue, snapshots, folder })
  try {
    const [tables, by, only] = [fromFolder(source), 'project_key', projects[0]]
    if (only && projects.length === 1) {
      await sealer.seal({ projectId: only.id, assessmentId: randomUUID(), tables, by })
      return projects
    }
    const { failed, empty } = await sealer.sealMany({
      tables,
      by,
      shared: 'where-missing',
      assessmentId: () => randomUUID(),
      projects: new Map(projects.map(({ id, key }) => [key, id])),
    })
    assert.deepEqual([failed, empty], [[], []])
  } finally {
    await sealer.close()
  }
  return projects
}

function computedProjects(folder: string): PackageProject[] {
  return readPackage(folder).filter(project => project.state === 'computed')
}

async function allRows(
  api: AnalyticsApi,
  params: { projectId: string; sql: string } & Point,
  by: { authorization: string },
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = { limit: LARGEST_PAGE, ...(cursor === undefined ? {} : { cursor }) }
    const { result } = await api.call('projects/query', { ...params, page }, by)
    const { items, nextCursor } = result as Page<Row>
    rows.push(...items)
    cursor = nextCursor
  } while (cursor !== undefined)
  return rows
}
