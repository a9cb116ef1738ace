import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnalyticsApi, directorySnapshots } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import catalogue from '#assessed/catalogue.js'
import { median } from './assessed.js'
import { type Face, snapshotsOfFaces } from './build/faces.js'
import { listening } from './load/load.js'
import { METHODS_PATH, type OpenOptions, openApi, post } from './open.js'
import { packageFolder, projectsOf, sealProjects } from './packages.js'
import type { Figure } from './run.js'
import { openBare } from './tenants/bare.js'
import { changeOfOrganization } from './tenants/change.js'
import { firstAnswers } from './tenants/cold.js'
import { type Outcome, underLoad } from './tenants/load.js'
import { MIX_RELATIONS, readingAll } from './tenants/mix.js'
import { responsive } from './tenants/responsive.js'

const PROJECTS = 200
const CLIENTS = 64
const FEW = 4
const ORGANIZATIONS = 40
const RESIDENTS = 24
const CONNECTIONS = 2
const LARGEST_SITES = 2_000
const QUERY_MS = 10_000
const LOAD = { clients: CLIENTS, warmUpMs: 8_000, forMs: 10_000 }

/** Compares many tenants of a service with two connections to one tenant, and to an engine in the server's process. */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  try {
    return await measure(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string): Promise<Figure[]> {
  const source = await packageFolder(folder)
  const sealed = (await projectsOf(source)).filter(({ sites }) => sites > 0 && sites < LARGEST_SITES)
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  await sealProjects(source, sealed, snapshots, join(folder, 'scratch'))
  const faces: Face[] = Array.from({ length: PROJECTS }, (_, index) => ({
    projectId: randomUUID(),
    of: sealed[index % sealed.length]?.projectId ?? '',
  }))
  const projectIds = faces.map(face => face.projectId)
  const options: OpenOptions = {
    catalogue,
    snapshots: snapshotsOfFaces(snapshots, faces),
    projects: faces.map(({ projectId }) => ({ projectId, name: projectId })),
    engine: { connections: CONNECTIONS },
    limits: { queryTimeoutMs: QUERY_MS, connectionWaitMs: 60_000 },
  }
  const open = () => openApi(folder, options)
  const cache = join(folder, 'engine', 'cache')
  const buildMs = await buildAll(await open(), faces, sealed.length, cache)
  const api = await open()
  try {
    const ours = await listening(toNodeHandler(api))
    const path = `${METHODS_PATH}query`
    const many = await underLoad({ ...LOAD, port: ours.port, path, projectIds })
    const one = await underLoad({ ...LOAD, port: ours.port, path, projectIds: projectIds.slice(0, 1) })
    const few = await underLoad({ ...LOAD, port: ours.port, path, projectIds: projectIds.slice(0, FEW) })
    const bare = await openBare(folder, cache, CONNECTIONS)
    const theirs = await listening(bare.listener)
    const manyBare = await underLoad({ ...LOAD, port: theirs.port, path: '/', projectIds })
    const reading = await responsive(api, projectIds.slice(0, CONNECTIONS), bare.instance, folder)
    for (const { server } of [ours, theirs]) server.close().closeAllConnections()
    bare.close()
    await api.close()
    const change = await changeOfOrganization(folder, options)
    const cold = await firstAnswers(folder, options)
    const zipf = await ofOrganizations(folder, options, ORGANIZATIONS, asZipf(projectIds))
    const each = await ofOrganizations(folder, options, PROJECTS, projectIds)
    const part = (outcome: Outcome) => `${((100 * outcome.perSecond) / one.perSecond).toFixed(0)} % of one project`
    return [
      ...figures(`${PROJECTS} projects, ${CLIENTS} clients, ${CONNECTIONS} connections`, many, {
        'in one process': manyBare,
        [`on ${FEW} projects`]: few,
        'all on one project': one,
      }),
      {
        what: 'event-loop delay of the host, p99',
        measured: `${many.delayMs.toFixed(1)} ms`,
        baseline: `${manyBare.delayMs.toFixed(1)} ms in one process`,
        bar: '20 ms',
      },
      {
        what: `${PROJECTS} projects of ${ORGANIZATIONS} organizations as Zipf has it, ${RESIDENTS} residents`,
        measured: `${zipf.perSecond.toFixed(0)} a second, p99 ${zipf.p99Ms.toFixed(0)} ms`,
        baseline: `${part(zipf)}, ${(zipf.p99Ms / one.p99Ms).toFixed(1)}× its p99`,
        bar: '60 %, 4×',
      },
      {
        what: `${PROJECTS} organizations, each as likely, ${RESIDENTS} residents`,
        measured: `${each.perSecond.toFixed(0)} a second, p99 ${each.p99Ms.toFixed(0)} ms`,
        baseline: part(each),
        bar: '63 a second',
      },
      reading,
      change,
      ...cold,
      {
        what: `what the mix reads, built for a project of ${LARGEST_SITES} sites at most`,
        measured: `${buildMs.toFixed(0)} ms`,
        baseline: '',
        bar: '',
      },
    ]
  } finally {
    await api.close()
  }
}

/** Loads the same projects as those of `count` organizations, each as often as it occurs in `projectIds`. */
async function ofOrganizations(folder: string, options: OpenOptions, count: number, projectIds: string[]) {
  const projects = options.projects.map((project, at) => ({ ...project, organization: `o${at % count}` }))
  const api = await openApi(folder, { ...options, projects, engine: { ...options.engine, residents: RESIDENTS } })
  try {
    const { port, server } = await listening(toNodeHandler(api))
    const outcome = await underLoad({ ...LOAD, port, path: `${METHODS_PATH}query`, projectIds })
    server.close().closeAllConnections()
    return outcome
  } finally {
    await api.close()
  }
}

/** Repeats each id in proportion to 1 / rank (a Zipf distribution). */
function asZipf(projectIds: readonly string[]): string[] {
  return projectIds.flatMap((projectId, at) => Array<string>(Math.round(1_000 / (at + 1))).fill(projectId))
}

/**
 * Builds the relations of the mix with one query per sealed project, and copies them for the project's other faces.
 * Returns the median build time in milliseconds.
 */
async function buildAll(api: AnalyticsApi, faces: readonly Face[], count: number, cache: string): Promise<number> {
  const sql = readingAll(MIX_RELATIONS)
  const times: number[] = []
  for (const { projectId } of faces.slice(0, count)) {
    const answer = await post(api, 'query', { projectId, sql })
    if (answer.status !== 200) throw new Error(`a first query was answered ${answer.status}`)
    times.push(answer.spentMs('build'))
  }
  await api.close()
  for (const [index, { projectId }] of faces.entries()) {
    const built = faces[index % count]?.projectId ?? ''
    const [snapshotId = ''] = await readdir(join(cache, built))
    const own = snapshotId.replace(built, projectId)
    if (projectId !== built) await cp(join(cache, built, snapshotId), join(cache, projectId, own), { recursive: true })
  }
  return median(times)
}

function figures(what: string, ours: Outcome, others: Record<string, Outcome>): Figure[] {
  const against = (value: (outcome: Outcome) => string) =>
    Object.entries(others)
      .map(([name, outcome]) => `${value(outcome)} ${name}`)
      .join(', ')
  const part = (outcome: Outcome) => `${((100 * ours.perSecond) / outcome.perSecond).toFixed(0)} %`
  return [
    {
      what,
      measured: `${ours.perSecond.toFixed(0)} a second, ${(100 * ours.failed).toFixed(1)} % failed`,
      baseline: against(outcome => `${outcome.perSecond.toFixed(0)} (we do ${part(outcome)})`),
      bar: '',
    },
    {
      what: 'p50',
      measured: `${ours.p50Ms.toFixed(1)} ms`,
      baseline: against(outcome => `${outcome.p50Ms.toFixed(1)} ms`),
      bar: '',
    },
    {
      what: 'p99',
      measured: `${ours.p99Ms.toFixed(1)} ms`,
      baseline: against(outcome => `${outcome.p99Ms.toFixed(1)} ms`),
      bar: '',
    },
  ]
}
