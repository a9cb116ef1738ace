import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { DuckDBInstance } from '@duckdb/node-api'
import type { AnalyticsApi } from 'foldgate'
import { timed } from '../assessed.js'
import { post } from '../open.js'
import type { Figure } from '../run.js'

const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
/** Node's default number of threads for files, DNS and native work. */
const POOL_THREADS = 4
const BARE_MS = 3_000
const EVERY_MS = 2
const QUIET_MS = 2_000

/** Times reads of a small file while every connection runs a long query, and while an in-process engine runs some. */
export async function responsive(
  api: AnalyticsApi,
  projectIds: readonly string[],
  bare: DuckDBInstance,
  folder: string,
): Promise<Figure> {
  const file = join(folder, 'small.txt')
  await writeFile(file, 'small')
  const quiet = await readWhile(file, pause(QUIET_MS))
  const endless = projectIds.map((projectId, number) =>
    post(api, 'query', { projectId, sql: `${ENDLESS} -- ${number}` }),
  )
  const answered = Promise.all(endless)
  const busy = await readWhile(file, answered)
  const statuses = (await answered).map(({ status }) => status)
  const connections = await Promise.all(Array.from({ length: POOL_THREADS }, () => bare.connect()))
  const queries = Promise.allSettled(connections.map(connection => connection.run(ENDLESS)))
  const interrupt = setTimeout(() => {
    for (const connection of connections) connection.interrupt()
  }, BARE_MS)
  const beside = await readWhile(file, queries)
  clearTimeout(interrupt)
  return {
    what: `fs.readFile of a small file, p99 of ${busy.length}, every connection busy for 10 s (${statuses.join(', ')})`,
    measured: `${p99(busy).toFixed(2)} ms, at most ${Math.max(...busy).toFixed(1)}`,
    baseline: `${p99(quiet).toFixed(2)} ms in quiet, ${p99(beside).toFixed(0)} ms beside ${POOL_THREADS} queries in process`,
    bar: '10 ms',
  }
}

/** Reads a file repeatedly until `work` settles; returns the milliseconds of each read. */
async function readWhile(file: string, work: Promise<unknown>): Promise<number[]> {
  let over = false
  const end = work.finally(() => {
    over = true
  })
  const times: number[] = []
  while (!over) {
    times.push(await timed(() => readFile(file)))
    await pause(EVERY_MS)
  }
  await end
  return times
}

function p99(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}
