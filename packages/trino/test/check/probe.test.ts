import assert from 'node:assert/strict'
import { probe, type RunAs } from '#trino/rules/probe.js'
import { ask, rowsOf } from './ask.js'
import { type Cluster, orSkip, STARTS_WITHIN_MS, sharedCluster, startCluster } from './cluster.js'
import { ON_DUCKDB, ON_TRINO, startSite } from './site.js'

const names = { catalog: 'iceberg', user: 'foldgate', prefix: '' }

function runOn({ url }: Cluster): RunAs {
  return async (user, sql) => {
    const { rows, error } = await ask(url, sql, { user, source: 'foldgate/0' })
    return { rows, errorName: error?.errorName ?? null }
  }
}

async function schemasOf({ url }: Cluster): Promise<unknown[]> {
  return (await rowsOf(url, 'SHOW SCHEMAS')).flat().sort()
}

describe('the check of a cluster at the start', () => {
  describe('with the rules', () => {
    let trino: Cluster
    before(async function () {
      this.timeout(STARTS_WITHIN_MS)
      trino = await sharedCluster(this)
    })

    it('finds nothing, and leaves nothing behind', async () => {
      const before = await schemasOf(trino)
      await probe(runOn(trino), names)
      assert.deepEqual(await schemasOf(trino), before)
    }).timeout(60_000)

    it('finds that they are for another prefix, another user or another catalog', async () => {
      const before = await schemasOf(trino)
      await assert.rejects(probe(runOn(trino), { ...names, prefix: 'fg_' }), /callers cannot read their own schema/)
      for (const wrong of [{ user: 'somebody' }, { catalog: 'elsewhere' }])
        await assert.rejects(
          probe(runOn(trino), { ...names, ...wrong }),
          /cannot prepare .* Install the files that "foldgate-trino rules" writes/,
        )
      assert.deepEqual(await schemasOf(trino), before)
    }).timeout(60_000)

    it('finds each thing that is let pass', async () => {
      const run = runOn(trino)
      for (const [let_, found] of [
        [/^SELECT n FROM "iceberg"\."p_[0-9a-f]+"\.probe$/, 'callers read the schemas of others'],
        [/system\.runtime\.queries/, 'callers read the statements of others'],
        [/^SET SESSION/, 'callers change settings of the session'],
        [/PYTHON/, 'callers run Python'],
      ] as const) {
        const open: RunAs = (user, sql) => run(user !== names.user && let_.test(sql) ? names.user : user, sql)
        const opened: RunAs = async (user, sql) =>
          let_.source === 'PYTHON' && let_.test(sql) ? { rows: [[1]], errorName: null } : open(user, sql)
        await assert.rejects(
          probe(opened, names),
          (error: Error) => error.message.includes(`callers apart: ${found}`),
          found,
        )
      }
    }).timeout(120_000)

    it('does not take a cluster that is away for one that refuses', async () => {
      const away: RunAs = () => Promise.reject(new Error('nobody answers'))
      await assert.rejects(probe(away, names), { message: 'nobody answers' })
    })
  })

  describe('without the rules', () => {
    let trino: Cluster | undefined
    before(async function () {
      this.timeout(STARTS_WITHIN_MS)
      trino = orSkip(this, await startCluster({ open: true, heap: '1500M' }))
    })
    after(() => trino?.stop())

    it('finds all that callers may do, and says what to install', async () => {
      await assert.rejects(probe(runOn(trino as Cluster), names), ({ message }: Error) => {
        for (const problem of [
          'read the schemas of others',
          'read the statements of others',
          'make tables',
          'users whom nobody knows',
        ])
          assert.ok(message.includes(problem), message)
        assert.match(message, /have no limit by query_max_cpu_time, query_max_execution_time/)
        assert.ok(
          message.endsWith(
            'Install the files that "foldgate-trino rules" writes, for the same catalog, user and prefix.',
          ),
        )
        return true
      })
      const left = (await schemasOf(trino as Cluster)).filter(name => String(name).startsWith('p_'))
      assert.deepEqual(left, [])
    }).timeout(60_000)

    it('keeps an engine from serving callers, and tells the host alone why', async () => {
      const site = await startSite(trino as Cluster)
      try {
        await Promise.all([ON_TRINO, ON_DUCKDB].map(projectId => site.seal(projectId)))
        for (const method of ['projects/query', 'projects/export']) {
          const refused = await site.call(method, { projectId: ON_TRINO, sql: 'SELECT 1 AS n' })
          assert.equal(refused.class, 'UNAVAILABLE')
          assert.doesNotMatch(JSON.stringify(refused), /callers apart|foldgate-trino/)
        }
        const told = site.events.flatMap(event => (event.type === 'dependency' ? [String(event.cause)] : []))
        assert.ok(told.some(text => text.startsWith('Error: The cluster does not keep callers apart: ')))
        const other = await site.call('projects/query', { projectId: ON_DUCKDB, sql: 'SELECT 1 AS n' })
        assert.deepEqual(other.result?.items, [{ n: 1 }])
      } finally {
        await site.close()
      }
    }).timeout(120_000)
  })
})
