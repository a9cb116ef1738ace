import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresUrl } from '../test/server/stores.js'
import { median } from './assessed.js'
import { refreshedAgain } from './refresh/again.js'
import { type Bare, bare } from './refresh/bare.js'
import { type Measured, measured } from './refresh/measured.js'
import { BenchDatabase } from './refresh/tables.js'
import type { Figure } from './run.js'

const ROUNDS = 3
const MIB = 1024 ** 2
/** Tenants that are sealed one by one, from which the time of all is extrapolated. */
const SAMPLE = 40

/** `FOLDGATE_ROWS=100000 FOLDGATE_TENANTS=100 npm run bench -- refresh` measures less. */
const { FOLDGATE_ROWS = '5000000', FOLDGATE_TENANTS = '10000' } = process.env

/** Seals tables of a PostgreSQL database: a large one, one that has not changed, and those of many tenants. */
export async function run(): Promise<Figure[]> {
  if (!postgresUrl) return [{ what: 'needs FOLDGATE_TEST_POSTGRES', measured: '', baseline: '', bar: '' }]
  const [rows, tenants] = [Number(FOLDGATE_ROWS), Number(FOLDGATE_TENANTS)]
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const database = await BenchDatabase.create()
  try {
    return [
      ...(await large(database, folder, rows)),
      ...(await refreshedAgain(database, join(folder, 'again'), rows / 5)),
      ...(await many(database, folder, tenants)),
    ]
  } finally {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function large(database: BenchDatabase, folder: string, rows: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [table, order] of [
    ['ordered', 'in the order of their key'],
    ['shuffled', 'in random order'],
  ] as const) {
    await database.makeLarge(table, rows, table === 'shuffled')
    const ours: Measured[] = []
    const by: Record<1 | 2, Bare[]> = { 1: [], 2: [] }
    for (let round = 0; round < ROUNDS; round++) {
      by[1].push(await bare(database.url, folder, table, 1))
      ours.push(await measured({ kind: 'large', url: database.url, folder: join(folder, table), table }))
      by[2].push(await bare(database.url, folder, table, 2))
    }
    await database.run(`DROP TABLE ${table}`)
    const total = ({ copyMs, writeMs }: Bare) => copyMs + writeMs
    const ratios = (threads: 1 | 2) => ours.map(({ ms }, round) => ms / total(by[threads][round] as Bare))
    const [copyMs, writeMs] = (['copyMs', 'writeMs'] as const).map(part => median(by[1].map(each => each[part])))
    const what = `${rows} rows × 10 ${order}`
    figures.push(
      {
        what: `${what}: seal, median of ${ROUNDS}`,
        measured: `${seconds(median(ours.map(({ ms }) => ms)))}`,
        baseline: `${seconds(median(by[1].map(total)))}: COPY ${seconds(copyMs)}, Parquet ${seconds(writeMs)}`,
        bar: `1.6×, here ${ratio(ratios(1))}`,
      },
      {
        what: `${what}: with two threads for the bare Parquet`,
        measured: '',
        baseline: seconds(median(by[2].map(total))),
        bar: ratio(ratios(2)),
      },
      {
        what: `${what}: processor time without the database`,
        measured: seconds(median(ours.map(({ cpuMs }) => cpuMs))),
        baseline: seconds(median(by[1].map(({ cpuMs }) => cpuMs))),
        bar: '',
      },
      memory(what, ours),
    )
  }
  return figures
}

async function many(database: BenchDatabase, folder: string, tenants: number): Promise<Figure[]> {
  await database.makeTenants(tenants)
  const job = { url: database.url, folder: join(folder, 'many') }
  const sample = Math.min(SAMPLE, tenants)
  const each = await measured({ ...job, kind: 'each', tenants: sample })
  const all = await measured({ ...job, kind: 'many', tenants })
  const what = `${tenants} tenants × 500 rows`
  return [
    {
      what: `${what}: sealMany`,
      measured: `${seconds(all.ms)}, ${all.failed} failed, ${all.sealed} sealed`,
      baseline: `${seconds((each.ms / sample) * tenants)} one by one, from ${sample} of them`,
      bar: '180 s, 0 failed',
    },
    {
      what: `${what}: processor time without the database`,
      measured: seconds(all.cpuMs),
      baseline: `${seconds((each.cpuMs / sample) * tenants)} one by one`,
      bar: '',
    },
    memory(what, [all]),
  ]
}

function memory(what: string, runs: readonly Measured[]): Figure {
  const most = (of: (run: Measured) => number) => `${Math.max(...runs.map(of)).toFixed(0)} MiB`
  return {
    what: `${what}: most memory of host and sealing process`,
    measured: `${most(({ memoryMib }) => memoryMib)}; resident ${most(({ residentMib }) => residentMib)}, the host ${most(({ hostMib }) => hostMib)}`,
    baseline: `${most(({ bytes }) => bytes / MIB)} on disk`,
    bar: '512 MiB',
  }
}

const seconds = (ms = Number.NaN) => `${(ms / 1000).toFixed(1)} s`

/** The median of some ratios, with the lowest and the highest. */
function ratio(values: readonly number[]): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)]
  return `${middle.toFixed(2)}× (${least.toFixed(2)}–${most.toFixed(2)})`
}
