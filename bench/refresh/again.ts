import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { openSealer, snapshotFiles } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { median, timed } from '../assessed.js'
import { openApi, post } from '../open.js'
import type { Figure } from '../run.js'
import { type BenchDatabase, pairCatalogue as catalogue, LARGE_COLUMNS } from './tables.js'

const ROUNDS = 5
const PROJECT = randomUUID()

/** What one refresh has cost, and what was asked after it. */
interface Refreshed {
  sealMs: number
  /** Bytes that no earlier snapshot shares. */
  written: number
  firstMs: number
  repeatMs: number
}

/** Refreshes a table of orders and one of prices, of which none changes, the one that is not asked for, or the other. */
export async function refreshedAgain(database: BenchDatabase, folder: string, rows: number): Promise<Figure[]> {
  await database.makeLarge('kept', rows)
  await database.run(
    `CREATE TABLE prices AS SELECT i AS price_id, i::numeric(12,2) AS price FROM generate_series(1, 1000) i`,
  )
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  const pool = new pg.Pool({ connectionString: database.url })
  const api = await openApi(folder, { catalogue, snapshots, projects: [{ projectId: PROJECT, name: 'bench' }] })
  let asked = 0
  const stored = new Set<string>()

  /** Each statement is another one, so that none is answered from a stored page. */
  const ask = () =>
    timed(async () => {
      const sql = `SELECT placed_on, sum(amount) AS amount FROM days WHERE orders < ${1_000_000 + asked++} GROUP BY ALL LIMIT 100`
      const { status, tail } = await post(api, 'query', { projectId: PROJECT, sql })
      if (status !== 200) throw new Error(`a query was answered ${status}: ${tail}`)
    })

  async function refreshed(change: string | null): Promise<Refreshed> {
    if (change !== null) await database.run(change)
    let written = 0
    const sealMs = await timed(async () => {
      const tables = {
        orders: fromPostgres(pool, `SELECT ${LARGE_COLUMNS} FROM kept`),
        prices: fromPostgres(pool, 'SELECT price_id, price FROM prices'),
      }
      const { manifest } = await sealer.seal({ projectId: PROJECT, tables })
      for (const { file, bytes } of snapshotFiles(manifest)) if (!stored.has(file)) written += bytes
      for (const { file } of snapshotFiles(manifest)) stored.add(file)
    })
    const firstMs = await ask()
    const repeats: number[] = []
    for (let count = 0; count < ROUNDS; count++) repeats.push(await ask())
    return { sealMs, written, firstMs, repeatMs: median(repeats) }
  }

  try {
    const first = await refreshed(null)
    const figures = [figure('the first snapshot', [first], first)]
    for (const [what, change] of [
      ['nothing has changed', null],
      ['a table has changed that the query does not read', 'UPDATE prices SET price = price + 1'],
      ['the table has changed that the query reads', 'UPDATE kept SET amount = amount + 1 WHERE order_id = 1'],
    ] as const) {
      const rounds: Refreshed[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await refreshed(change))
      figures.push(figure(what, rounds, first))
    }
    return figures.flat()
  } finally {
    await api.close()
    await sealer.close()
    await pool.end()
  }
}

function figure(what: string, rounds: readonly Refreshed[], first: Refreshed): Figure[] {
  const of = (part: keyof Refreshed) => median(rounds.map(round => round[part]))
  const isFirst = rounds[0] === first
  return [
    {
      what: `${what}: seal, bytes written`,
      measured: `${of('sealMs').toFixed(0)} ms, ${mib(of('written'))}`,
      baseline: isFirst ? '' : `${first.sealMs.toFixed(0)} ms, ${mib(first.written)}, the first`,
      bar: '',
    },
    {
      what: `${what}: first query, median of ${rounds.length}`,
      measured: `${of('firstMs').toFixed(1)} ms`,
      baseline: `${of('repeatMs').toFixed(1)} ms repeated`,
      bar: '',
    },
  ]
}

const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`
