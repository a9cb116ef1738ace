import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnalyticsApi, directorySnapshots, toNodeHandler } from 'foldgate'
import { catalogue } from '#server/catalogue/index.js'
import { median } from './assessed.js'
import { type Face, snapshotsOfFaces } from './build/faces.js'
import { listening } from './load/load.js'
import { METHODS_PATH, type OpenOptions, openApi, post } from './open.js'
import { packageFolder, projectsOf, sealProjects } from './packages.js'
import type { Figure } from './run.js'
import { openBare } from './tenants/bare.js'
import { changeOfOrganization } from './tenants/change.js'
import { type Outcome, underLoad } from './tenants/load.js'
import { MIX_RELATIONS, readingAll } from './tenants/mix.js'
import { responsive } from './tenants/responsive.js'

const PROJECTS = 200
const CLIENTS = 64
const FEW = 4
const CONNECTIONS = 2
const LARGEST_SITES = 2_000
const QUERY_MS = 10_000
const LOAD = { clients: CLIENTS, warmUpMs: 8_000, forMs: 10_000 }

/** Many tenants with a service of two connections, against one engine in the server's own process and against one tenant. */
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
      reading,
      change,
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

/**
 * Builds what the mix reads, by one query a project that tells how long; the same is then copied for other faces of a
 * project. Gives the median.
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
