import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import catalogue from '#assessed/catalogue.js'
import { timed } from './assessed.js'
import { enlarge } from './growth/enlarge.js'
import { plot, type Series } from './growth/plot.js'
import { type Costs, costsOf, STATEMENTS } from './growth/point.js'
import { listening } from './load/load.js'
import { METHODS_PATH, openApi } from './open.js'
import { type PackagedProject, packageFolder, projectsOf, sealProjects } from './packages.js'
import type { Figure } from './run.js'
import { type Outcome, underLoad } from './tenants/load.js'

const SCALES = [1, 10, 100]
/** Default time limit; a measurement in progress is abandoned when it is reached. */
const ENDS_AFTER_MINUTES = 5
const LOAD = { clients: 64, warmUpMs: 1_000, forMs: 6_000 }
const PLOT = new URL('./growth.svg', import.meta.url)

/** A project at one scale. */
interface Point extends Costs {
  name: string
  sites: number
  sealMs: number
}

/** A scale of the package: its projects, and the load of many clients on all of them. */
interface Scale {
  times: number
  points: Point[]
  load: Outcome
}

/** Measures the cost of the largest projects, as they are and enlarged; prints a table and writes a plot. */
export async function run(minutes = ENDS_AFTER_MINUTES): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const end = performance.now() + minutes * 60_000
  const scales: Scale[] = []
  let left = ''
  try {
    const source = await packageFolder(folder)
    const projects = (await projectsOf(source)).filter(({ sites }) => sites > 0)
    for (const times of SCALES) {
      const chosen = times === 1 ? [projects[0], ...projects.slice(-2)] : projects.slice(-2)
      const home = join(folder, `times-${times}`)
      try {
        scales.push(await measure(home, source, times, chosen as PackagedProject[], end))
      } catch (cause) {
        if (times === 1) throw cause
        left = `× ${times} was left: ${cause instanceof Error ? cause.message.split('\n')[0] : cause}`
        break
      } finally {
        await rm(home, { recursive: true, force: true })
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const points = scales.flatMap(scale => scale.points).sort((a, b) => a.sites - b.sites)
  console.table(points.map(rowOf))
  if (left) process.stdout.write(`${left}\n`)
  if (points.length > 1)
    await writeFile(PLOT, plot('Cost against size', { x: 'sites of the project', y: 'milliseconds' }, seriesOf(points)))
  return [...growthOf(points), ...scales.map(loadFigure)]
}

async function measure(
  home: string,
  source: string,
  times: number,
  projects: readonly PackagedProject[],
  end: number,
): Promise<Scale> {
  const leftMs = () => Math.max(1, Math.round(end - performance.now()))
  const packaged = times === 1 ? source : join(home, 'package')
  if (times > 1) await enlarge(source, packaged, times)
  const snapshots = directorySnapshots(join(home, 'snapshots'))
  const sealed: number[] = []
  for (const project of projects) {
    const signal = AbortSignal.timeout(leftMs())
    sealed.push(await timed(() => sealProjects(packaged, [project], snapshots, join(home, 'scratch'), signal)))
  }
  const api = await openApi(home, {
    catalogue,
    snapshots,
    projects: projects.map(({ projectId, key: name }) => ({ projectId, name })),
    engine: { connections: 2 },
    limits: { buildTimeoutMs: leftMs(), connectionWaitMs: 60_000 },
  })
  try {
    const points: Point[] = []
    for (const [index, { key, projectId, sites }] of projects.entries()) {
      const costs = await costsOf(api, projectId, join(home, 'engine', 'cache', projectId))
      const name = times === 1 ? key : `${key} × ${times}`
      points.push({ ...costs, name, sites: sites * times, sealMs: sealed[index] ?? 0 })
    }
    const { port, server } = await listening(toNodeHandler(api))
    const projectIds = projects.map(({ projectId }) => projectId)
    const load = await underLoad({ ...LOAD, port, path: `${METHODS_PATH}query`, projectIds })
    server.close().closeAllConnections()
    return { times, points, load }
  } finally {
    await api.close()
  }
}

const NAMES = Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]

function rowOf({ name, sites, riskRows, sealMs, buildMs, failures, callMs }: Point) {
  const tries = failures > 0 ? ` (${failures} failed first)` : ''
  const calls = NAMES.map(each => [
    `${each}, ms (bare)`,
    `${callMs[each].ours.toFixed(1)} (${callMs[each].bare.toFixed(1)})`,
  ])
  return {
    project: name,
    sites,
    risk_rows: riskRows,
    'sealed, ms': Math.round(sealMs),
    'built, ms': `${buildMs.toFixed(0)}${tries}`,
    ...Object.fromEntries(calls),
  }
}

function seriesOf(points: readonly Point[]): Series[] {
  const line = (name: string, value: (point: Point) => number) => ({
    name,
    points: points.map(point => ({ x: point.sites, y: value(point) })),
  })
  return [
    line('sealing', point => point.sealMs),
    line('building all folds', point => point.buildMs),
    ...NAMES.map(name => line(`call: ${name}`, point => point.callMs[name].ours)),
  ]
}

/** Exponent of the cost in rows, between the two largest measured sizes: 1 is proportional, 0 is constant. */
function growthOf(points: readonly Point[]): Figure[] {
  const [small, large] = [points.at(-2), points.at(-1)]
  if (!small || !large) return []
  const exponent = (a: number, b: number) => (Math.log(b / a) / Math.log(large.sites / small.sites)).toFixed(2)
  const figure = (what: string, value: (point: Point) => number, baseline = ''): Figure => ({
    what: `${what}, ${small.name} to ${large.name}`,
    measured: `rows to the power of ${exponent(value(small), value(large))}`,
    baseline,
    bar: '',
  })
  return [
    figure('building all folds', point => point.buildMs),
    ...NAMES.map(name => {
      const bare = exponent(small.callMs[name].bare, large.callMs[name].bare)
      return figure(`call: ${name}`, point => point.callMs[name].ours, `${bare} bare`)
    }),
  ]
}

function loadFigure({ times, points, load }: Scale): Figure {
  return {
    what: `× ${times}: ${LOAD.clients} clients on ${points.map(({ name }) => name).join(', ')}`,
    measured: `${load.perSecond.toFixed(1)} a second, p50 ${load.p50Ms.toFixed(0)} ms, p99 ${load.p99Ms.toFixed(0)} ms`,
    baseline: `${(100 * load.failed).toFixed(1)} % failed, event-loop delay p99 ${load.delayMs.toFixed(1)} ms`,
    bar: '',
  }
}
