import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeRunners } from '../test/server/command.js'
import { dropStores, postgresUrl } from '../test/server/stores.js'
import type { Figure } from './run.js'
import type { Size } from './scale/filler.js'
import { type Counts, type Measured, ScaledService, TIMES } from './scale/service.js'

const SMALL: Size = { organizations: 10, projects: 100, keys: 1_000 }
const LARGE: Size = { organizations: 10_000, projects: 100_000, keys: 1_000_000 }
const ROUNDS = 2
const NAMES = { warm: 'warm call', cold: 'cold call', list: 'projects/list', page: 'page of keys', ready: '/ready' }
/** What costs more than this many times as much grows with the service. */
const GROWN = 1.3

/**
 * Compares a service of ten thousand organizations with one of ten. Each has a store in PostgreSQL and a bucket; their
 * servers are started in turns.
 */
export async function run(): Promise<Figure[]> {
  if (!postgresUrl) return [{ what: 'needs FOLDGATE_TEST_POSTGRES', measured: '', baseline: '', bar: '' }]
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const made: ScaledService[] = []
  try {
    for (const [name, size] of Object.entries({ small: SMALL, large: LARGE }))
      made.push(await ScaledService.make(join(folder, name), size))
    for (let round = 0; round < ROUNDS; round++) for (const service of made) await service.live()
    const [small, large] = made.map(({ measured }) => measured)
    return small && large ? figuresOf(small, large) : []
  } finally {
    for (const service of made) service.close()
    freeRunners(folder)
    await dropStores(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

function figuresOf(small: Measured, large: Measured): Figure[] {
  const compared = (what: string, of: (measured: Measured) => number, unit: string): Figure => {
    const [more, fewer] = [of(large), of(small)]
    return {
      what,
      measured: `${more.toFixed(1)} ${unit}`,
      baseline: `${fewer.toFixed(1)} ${unit}, ${(more / fewer).toFixed(2)}×`,
      bar: `${GROWN}×`,
    }
  }
  return [
    ...(['warm', 'cold', 'list', 'page', 'ready'] as const).flatMap(kind => [
      compared(`${NAMES[kind]}, p50`, measured => part(measured[kind], 0.5), 'ms'),
      compared(`${NAMES[kind]}, p99 of ${large[kind].length}`, measured => part(measured[kind], 0.99), 'ms'),
    ]),
    ...(['warm', 'list', 'page', 'ready'] as const).map(kind =>
      compared(`processor time of the server, ${NAMES[kind]}`, measured => part(measured.cpu[kind], 0.5), 'ms'),
    ),
    compared('start until /ready', measured => part(measured.start, 0.5), 'ms'),
    compared('work in the background after a start', measured => part(measured.busy, 0.5), 'ms'),
    compared('memory of the server', measured => part(measured.memoryMib, 0.5), 'MiB'),
    compared('its peak', measured => Math.max(...measured.mostMemoryMib), 'MiB'),
    ...told('a warm call', small.counts.warm, large.counts.warm, { lists: '0', statements: '1' }),
    ...told('a start', small.counts.start, large.counts.start),
    ...told(`${TIMES} requests for /ready`, small.counts.ready, large.counts.ready),
  ]
}

/** Requests and statements, and the kinds of requests of which the large service has more: medians of the rounds. */
function told(
  of: string,
  small: readonly Counts[],
  large: readonly Counts[],
  bars: { lists?: string; statements?: string } = {},
): Figure[] {
  const figure = (what: string, count: (counts: Counts) => number, bar = ''): Figure => ({
    what: `${what} of ${of}`,
    measured: part(large.map(count), 0.5).toFixed(2),
    baseline: part(small.map(count), 0.5).toFixed(2),
    bar,
  })
  const kinds = [...new Set([...small, ...large].flatMap(counts => [...counts.keys()]))]
  const sum = (matching: RegExp) => (counts: Counts) =>
    kinds.filter(kind => matching.test(kind)).reduce((all, kind) => all + (counts.get(kind) ?? 0), 0)
  const each = kinds.filter(kind => /^[A-Z]/.test(kind)).map(kind => figure(kind, counts => counts.get(kind) ?? 0))
  return [
    figure('LIST requests', sum(/^LIST/), bars.lists),
    figure('other requests to S3', sum(/^(?!LIST)[A-Z]/)),
    figure('statements', sum(/^[a-z]/), bars.statements),
    ...each.filter(({ measured, baseline }) => Number(measured) > GROWN * Number(baseline) && Number(measured) > 0.1),
  ]
}

function part(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}
