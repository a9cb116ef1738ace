import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { PACKAGE } from '../../../../test/service/service.js'
import { until } from '../../../../test/until.js'
import { rowsOf } from './ask.js'
import { type Cluster, orSkip, STARTS_WITHIN_MS, startCluster } from './cluster.js'
import { type Answer, ON_TRINO, type Site, startSite } from './site.js'

/** These suites take seven minutes. */
const SKIPPED = 'FOLDGATE_TEST_TRINO=all kills workers of a Trino, too'
const ROWS = 20_000_000
const GROUPS = 1000
/** Long enough to be in the middle of its work when a worker is killed; the mark makes each one run anew. */
const statement = (
  mark: string,
) => `/* ${mark} */ SELECT item, count(*) AS amounts, count(DISTINCT CAST(amount AS bigint) % 1013) AS rests,
  sum(CAST(reverse(reverse(CAST(CAST(amount AS bigint) AS varchar))) AS bigint)) AS total
  FROM amounts GROUP BY item ORDER BY item`

/** What the statement answers, computed by hand: amounts run from 1 to ROWS, and an item is the last three digits. */
function expected(): unknown[] {
  const each = ROWS / GROUPS
  return Array.from({ length: GROUPS }, (_, item) => {
    const first = item === 0 ? GROUPS : item
    const total = each * first + GROUPS * ((each * (each - 1)) / 2)
    return { item: String(item).padStart(3, '0'), amounts: each, rests: 1013, total }
  })
}

/** A package with the rows above in one table. */
async function largePackage(): Promise<Record<string, string | Uint8Array>> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-amounts-'))
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  try {
    const connection = await instance.connect()
    const file = join(folder, 'amounts.parquet')
    await connection.run(
      `COPY (SELECT 'group' AS entity_key, lpad(CAST(n % ${GROUPS} AS VARCHAR), 3, '0') AS item, CAST(n AS DOUBLE) AS amount
       FROM range(1, ${ROWS + 1}) AS t(n)) TO '${file}' (FORMAT parquet)`,
    )
    connection.closeSync()
    const { 'amounts.csv': _, ...rest } = PACKAGE as Record<string, string>
    return { ...rest, 'amounts.parquet': await readFile(file) }
  } finally {
    instance.closeSync()
    await rm(folder, { recursive: true })
  }
}

for (const retryTasks of [false, true])
  describe(`a worker of a cluster, ${retryTasks ? 'with' : 'without'} tasks that are run again`, () => {
    let trino: Cluster | undefined
    let site: Site
    before(async function () {
      this.timeout(STARTS_WITHIN_MS)
      const isAsked = process.env.FOLDGATE_TEST_TRINO === 'all'
      const cluster = isAsked ? await startCluster({ workers: 2, retryTasks, heap: '2G' }) : SKIPPED
      trino = orSkip(this, cluster)
      site = await startSite(trino, {}, { limits: { queryTimeoutMs: 200_000, buildTimeoutMs: 200_000 } })
      await site.seal(ON_TRINO, await largePackage())
      const { result, message } = await site.query('SELECT count(*) AS n FROM amounts')
      assert.deepEqual(result?.items, [{ n: ROWS }], message)
    })
    after(async () => {
      await site?.close()
      await trino?.stop()
    })

    const ask = (mark: string) => site.query(statement(mark), { page: { limit: 500 } })

    /** All rows of an answer, of which a page has 500. */
    async function allRows(mark: string, first: Answer): Promise<unknown[]> {
      const rows = [...(first.result?.items ?? [])]
      for (let cursor = first.result?.nextCursor; cursor; ) {
        const { result, message } = await site.query(statement(mark), { page: { limit: 500, cursor } })
        assert.ok(result, message)
        rows.push(...(result.items ?? []))
        cursor = result.nextCursor
      }
      return rows
    }

    /** Asks, and does something when a worker has a task of the statement. */
    async function disturbed(mark: string, work: (worker: number) => Promise<void>): Promise<Answer> {
      const { url } = trino as Cluster
      const running = ask(mark)
      running.catch(() => {})
      const worker = await until(async () => {
        const tasks = `SELECT t.node_id FROM system.runtime.tasks t JOIN system.runtime.queries q USING (query_id)
          WHERE t.state = 'RUNNING' AND t.node_id LIKE 'worker%' AND q.query LIKE '/* ${mark} */%'`
        const [node] = await rowsOf(url, tasks)
        return node && String(node[0]).replace('worker', '')
      }, 'work of a worker')
      await work(Number(worker))
      return running
    }

    if (!retryTasks)
      it('is not needed to end a statement whose coordinator is restarted, which is found again', async function () {
        this.timeout(200_000)
        const { class: of, message, result } = await disturbed('restarted', () => (trino as Cluster).restart())
        assert.deepEqual([of, result], ['UNAVAILABLE', undefined], message)
        assert.deepEqual(await allRows('again', await ask('again')), expected())
      })

    it('makes no answer wrong or half when it is killed', async function () {
      this.timeout(300_000)
      const answer = await disturbed('killed', worker => (trino as Cluster).kill(worker))
      if (retryTasks) assert.deepEqual(await allRows('killed', answer), expected(), answer.message)
      else assert.deepEqual([answer.class, answer.result], ['UNAVAILABLE', undefined], answer.message)
    })

    it('leaves a cluster that answers the same statement', async function () {
      this.timeout(200_000)
      assert.deepEqual(await allRows('after', await ask('after')), expected())
    })
  })
