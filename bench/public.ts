import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTables, directorySnapshots } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { fromFolder, openSealer, tableFiles } from 'foldgate/sealing'
import { median, timed } from './assessed.js'
import { MemoryWatch } from './bombs/watch.js'
import { snapshotsOfFaces } from './build/faces.js'
import { listening } from './load/load.js'
import { AUTHORIZATION, METHODS_PATH, openApi } from './open.js'
import { HITS_STATEMENTS, hitsTable } from './public/hits.js'
import { TPCH_STATEMENTS, tpchTables } from './public/tpch.js'
import type { Figure } from './run.js'

const THREADS = 1
const MEMORY_MIB = 1024
const AGAIN = 3
const PAGE_ROWS = 500
/** A build begins within this time after the answers that made it worthwhile. */
const SETTLES_MS = 50

/** A public benchmark. No result of its statements is longer than a page. */
interface Suite {
  name: string
  statements: Readonly<Record<string, string>>
  /** Whether statements that sort do so by unique keys; otherwise, rows that tie may come in any order. */
  isOrdered: boolean
  /** Writes a Parquet file per table into a folder, and resolves to the names of the tables. */
  write(folder: string): Promise<string[]>
}

const SUITES: readonly Suite[] = [
  { name: 'TPC-H at scale 1', statements: TPCH_STATEMENTS, isOrdered: true, write: tpchTables },
  { name: 'ClickBench', statements: HITS_STATEMENTS, isOrdered: false, write: hitsTable },
]

/** Answers statements. */
interface Side {
  ask(sql: string): Promise<string>
  rowsIn(answer: string): Record<string, unknown>[]
}

/** A statement that the guard refuses. */
class Refused extends Error {}

/** The time of one statement on both sides, in milliseconds. */
interface Times {
  name: string
  oursMs: number
  bareMs: number
}

/** Compares answers over HTTP with the bare engine on the same Parquet files, first and warm, for each suite. */
export async function run(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const suite of SUITES) {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
    try {
      figures.push(...(await measure(suite, folder)))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return figures
}

async function measure({ name, statements, isOrdered, write }: Suite, folder: string): Promise<Figure[]> {
  const source = join(folder, 'package')
  await mkdir(source)
  const tables = await write(source).catch((cause: Error) => cause)
  if (tables instanceof Error)
    return [{ what: name, measured: 'not taken', baseline: tables.message.split('\n')[0] ?? '', bar: '' }]
  const catalogue = defineCatalogue({ relations: defineTables(...tables) })
  const sealed = directorySnapshots(join(folder, 'snapshots'))
  const of = randomUUID()
  const sealer = await openSealer({ catalogue, snapshots: sealed, folder: join(folder, 'scratch') })
  const { manifest } = await sealer.seal({ projectId: of, tables: fromFolder(source) })
  await sealer.close()
  const views = manifest.tables.map(table => {
    const files = tableFiles(table).map(({ file }) => `'${join(folder, 'snapshots/tables', of, file)}'`)
    return `CREATE VIEW ${table.name} AS FROM read_parquet([${files}])`
  })

  // Each statement is the first one of a project, once to compare its rows and once to be timed.
  const named = Object.entries(statements)
  const faces = Array.from({ length: 2 * named.length }, () => ({ projectId: randomUUID(), of }))
  const api = await openApi(folder, {
    catalogue,
    snapshots: snapshotsOfFaces(sealed, faces),
    projects: faces.map(({ projectId }) => ({ projectId, name: projectId })),
    engine: { connections: 1, spares: 1, threads: THREADS, memoryLimitBytes: MEMORY_MIB * 2 ** 20 },
  })
  const { port, server } = await listening(toNodeHandler(api))
  const memory = new MemoryWatch(process.pid)
  const both = async (work: (ours: Side, bare: Side) => Promise<void>) => {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(THREADS),
      memory_limit: `${MEMORY_MIB}MiB`,
      temp_directory: join(folder, 'spilled'),
    })
    try {
      await work(overHttp(port, faces.pop()?.projectId ?? ''), await bareSide(instance, views))
    } finally {
      instance.closeSync()
    }
    // A table that was read often is built now, on the one connection.
    do await setTimeout(SETTLES_MS)
    while (api.stats().busy + api.stats().waiting > 0)
  }
  try {
    const refused: string[] = []
    for (const [each, sql] of named)
      await both((ours, bare) => assertSameRows(ours, bare, sql, isOrdered)).catch(cause => {
        if (!(cause instanceof Refused)) throw new Error(`${name}, ${each}: ${cause.message}`)
        refused.push(each)
      })
    const [first, warm]: [Times[], Times[]] = [[], []]
    for (const [each, sql] of named.filter(([each]) => !refused.includes(each)))
      await both(async (ours, bare) => {
        const asked = async (time: number) => {
          const text = `${sql} -- ${time}` // the rows of a known text are stored
          return { oursMs: await timed(() => ours.ask(text)), bareMs: await timed(() => bare.ask(text)) }
        }
        first.push({ name: each, ...(await asked(0)) })
        const again: Omit<Times, 'name'>[] = []
        for (let time = 1; time <= AGAIN; time++) again.push(await asked(time))
        const [oursMs, bareMs] = [median(again.map(times => times.oursMs)), median(again.map(times => times.bareMs))]
        warm.push({ name: each, oursMs, bareMs })
      })
    return [
      figureOf(`${name}, ${first.length} statements: first answers`, first),
      figureOf(`${name}: warm, median of ${AGAIN}`, warm),
      {
        what: `${name}: memory at most`,
        measured: `${memory.child.toFixed(0)} MiB an engine process`,
        baseline: `${memory.own.toFixed(0)} MiB server, client and bare engine together`,
        bar: '',
      },
      ...(refused.length > 0 ? [{ what: 'refused', measured: refused.join(', '), baseline: '', bar: 'none' }] : []),
    ]
  } finally {
    memory.stop()
    server.close().closeAllConnections()
    await api.close()
  }
}

function overHttp(port: number, projectId: string): Side {
  return {
    async ask(sql) {
      const answer = await fetch(`http://127.0.0.1:${port}${METHODS_PATH}query`, {
        method: 'POST',
        headers: { authorization: AUTHORIZATION },
        body: JSON.stringify({ projectId, sql, page: { limit: PAGE_ROWS } }),
      })
      const text = await answer.text()
      if (answer.ok) return text
      throw text.includes('"INVALID_QUERY"') ? new Refused(text) : new Error(text)
    },
    rowsIn: answer => JSON.parse(answer).result.items,
  }
}

/** The engine in this process. Its first answer includes the views, which read the ends of the files. */
async function bareSide(instance: DuckDBInstance, views: readonly string[]): Promise<Side> {
  const connection = await instance.connect()
  let missing = views
  return {
    async ask(sql) {
      for (const view of missing) await connection.run(view)
      missing = []
      return JSON.stringify((await connection.runAndReadAll(sql)).getRowObjectsJson())
    },
    rowsIn: answer => JSON.parse(answer),
  }
}

/** Of rows that tie at the end of a LIMIT, an engine with one thread takes the same ones each time. */
async function assertSameRows(ours: Side, bare: Side, sql: string, isOrdered: boolean): Promise<void> {
  const rowsOf = async (side: Side) => {
    const rows = side.rowsIn(await side.ask(sql)).map(textOf)
    return isOrdered ? rows : rows.sort()
  }
  const [rows, expected] = [await rowsOf(ours), await rowsOf(bare)]
  const odd = Array.from({ length: Math.max(rows.length, expected.length) }).findIndex(
    (_, at) => rows[at] !== expected[at],
  )
  if (odd >= 0) throw new Error(`row ${odd + 1} is ${rows[odd]}, and ${expected[odd]} in the bare engine`)
}

/** A row as text: the two sides write a decimal as 37.5 and 37.50, and a timestamp with a T and with a blank. */
function textOf(row: Record<string, unknown>): string {
  const plain = (value: unknown) =>
    String(value)
      .replace(/^(-?\d+)(?:\.0+|(\.\d*?)0+)$/, '$1$2')
      .replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/, '$1T$2')
  return JSON.stringify(Object.entries(row).map(([name, value]) => [name, plain(value)]))
}

function figureOf(what: string, times: readonly Times[]): Figure {
  const seconds = (side: 'oursMs' | 'bareMs') => (times.reduce((ms, each) => ms + each[side], 0) / 1000).toFixed(2)
  const slowest = times.map(each => ({ ...each, ratio: each.oursMs / each.bareMs })).sort((a, b) => b.ratio - a.ratio)
  const mean = Math.exp(slowest.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / slowest.length)
  const named = slowest.slice(0, 3).map(each => `${each.name} ${each.ratio.toFixed(2)}× (${each.oursMs.toFixed(0)} ms)`)
  return {
    what,
    measured: `${seconds('oursMs')} s; ${mean.toFixed(2)}× of bare, geometric mean; most ${named.join(', ')}`,
    baseline: `${seconds('bareMs')} s bare`,
    bar: '',
  }
}
