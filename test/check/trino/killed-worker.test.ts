import assert from 'node:assert/strict'
import { until } from '../../until.js'
import { ask, type Outcome, rowsOf } from './ask.js'
import { type Cluster, orSkip, STARTS_WITHIN_MS, startCluster } from './cluster.js'

/** 20 million rows in several files, so that workers read them side by side. */
const [ROWS, FILES] = [20_000_000, 4]
const TABLE = 's_00000000000000f1.amounts'
const CALLER = { user: 'p_00000000000000f1', schema: 'p_00000000000000f1', source: 'foldgate/f1' }
/** Groups of known size: each word stands for n % 1000, and there are as many of each. */
const GROUPS = 1000
const SQL = `SELECT word, count(*) AS c, sum(CAST(reverse(reverse(CAST(n AS varchar))) AS bigint)) AS s,
  count(DISTINCT n % 1013) AS d FROM amounts GROUP BY word ORDER BY word`

/** What the statement answers, computed by hand: n runs from 1 to ROWS. */
function expected(): unknown[][] {
  const each = ROWS / GROUPS
  return Array.from({ length: GROUPS }, (_, word) => {
    const first = word === 0 ? GROUPS : word
    return [word, each, each * first + GROUPS * ((each * (each - 1)) / 2), 1013]
  })
}

for (const retryTasks of [false, true])
  describe(`a worker of a cluster, ${retryTasks ? 'with' : 'without'} tasks that are run again`, () => {
    let trino: Cluster | undefined
    before(async function () {
      this.timeout(STARTS_WITHIN_MS)
      trino = orSkip(this, await startCluster({ workers: 2, retryTasks, heap: '2G' }))
      const { url } = trino
      for (const schema of ['s_00000000000000f1', CALLER.schema]) await rowsOf(url, `CREATE SCHEMA ${schema}`)
      const part = (file: number) =>
        `SELECT n, n % ${GROUPS} AS word FROM TABLE(sequence(${(file * ROWS) / FILES + 1}, ${((file + 1) * ROWS) / FILES})) t(n)`
      await rowsOf(url, `CREATE TABLE ${TABLE} AS ${part(0)}`)
      for (let file = 1; file < FILES; file++) await rowsOf(url, `INSERT INTO ${TABLE} ${part(file)}`)
      await rowsOf(url, `CREATE VIEW ${CALLER.schema}.amounts SECURITY DEFINER AS SELECT * FROM ${TABLE}`)
    })
    after(() => trino?.stop())

    /** Runs the statement, and does something when a worker has a task of it. */
    async function disturbed(work: (worker: number) => Promise<void>): Promise<Outcome> {
      const { url } = trino as Cluster
      let id = ''
      const running = ask(url, SQL, { ...CALLER, onStart: started => (id = started) })
      running.catch(() => {})
      const worker = await until(async () => {
        const tasks = `SELECT node_id FROM system.runtime.tasks
          WHERE query_id = '${id}' AND state = 'RUNNING' AND node_id LIKE 'worker%'`
        const [node] = id === '' ? [] : await rowsOf(url, tasks)
        return node && String(node[0]).replace('worker', '')
      }, 'work of a worker')
      await work(Number(worker))
      return running
    }

    if (!retryTasks)
      it('ends a statement whose coordinator is restarted, and is found again by the new one', async function () {
        this.timeout(200_000)
        const { url, restart } = trino as Cluster
        const outcome = await disturbed(() => restart()).catch((error: Error) => error)
        assert.ok(outcome instanceof Error || (outcome.error && outcome.rows.length === 0), JSON.stringify(outcome))
        assert.deepEqual(await rowsOf(url, SQL, CALLER), expected())
      })

    it('makes no answer wrong or half when it is killed', async function () {
      this.timeout(300_000)
      const { error, rows } = await disturbed(worker => (trino as Cluster).kill(worker))
      if (retryTasks) {
        assert.equal(error, null, JSON.stringify(error))
        assert.deepEqual(rows, expected())
      } else {
        assert.ok(error, 'the query should have failed')
        assert.deepEqual([error.errorType, rows], ['INTERNAL_ERROR', []], JSON.stringify(error))
      }
    })

    it('leaves a cluster that answers the same statement', async function () {
      this.timeout(120_000)
      assert.deepEqual(await rowsOf((trino as Cluster).url, SQL, CALLER), expected())
    })
  })
