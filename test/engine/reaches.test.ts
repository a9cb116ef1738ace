import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type LimitedService, startLimited } from '../service/limited.js'
import { KEYS, PROJECT, type ServiceOptions } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

const CUSTOMERS = 'SELECT channel FROM customers ORDER BY 1'
const ALL = 'advertising newsletter recommendation search'

// Files of another process are found in /proc.
;(process.platform === 'linux' ? describe : describe.skip)('processes of callers with row limits', () => {
  let of: LimitedService
  let scratch: string
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  afterEach(async () => {
    await of.close()
    await rm(scratch, { recursive: true, force: true })
  })
  const start = async (options: ServiceOptions = {}) => {
    of = await startLimited({ catalogue: shop, files: SHOP, ...options })
  }
  const ask = async (key: string, more: object = {}) => {
    const params = { projectId: PROJECT, sql: CUSTOMERS, ...more }
    const { status, body } = await of.service.call('projects/query', params, key)
    assert.equal(status, 200, body.message)
    return body.result?.items?.map(({ channel }) => channel).join(' ')
  }
  const seeing = (...channel: string[]) => of.limited({ rows: { channel } })

  /** Of each process, the channels of customers in the files that it was given. */
  async function held(): Promise<string[]> {
    const found = await Promise.all(of.service.api.pids().map(channelsGiven))
    return found.filter(channels => channels !== '').sort()
  }

  async function channelsGiven(pid: number): Promise<string> {
    const given = join(await readlink(`/proc/${pid}/cwd`), '..', 'given', PROJECT)
    const files = (await readdir(given).catch(() => [])).filter(name => /\.(duckdb|parquet)$/.test(name))
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const channels = new Set<unknown>()
    for (const name of files) {
      const path = join(scratch, name)
      await copyFile(join(given, name), path)
      const isBuilt = name.endsWith('.duckdb')
      if (isBuilt) await connection.run(`ATTACH '${path}' AS built (READ_ONLY)`)
      const from = isBuilt ? 'built.main.customers' : `'${path}'`
      const reader = await connection.runAndReadAll(`SELECT DISTINCT channel FROM ${from}`)
      for (const [channel] of reader.getRows()) channels.add(channel)
      if (isBuilt) await connection.run('DETACH built')
    }
    connection.closeSync()
    instance.closeSync()
    return [...channels].sort().join(' ')
  }

  it('that run their statements are given no rows that they do not see', async () => {
    await start()
    const [mine, other] = [seeing('search'), seeing('advertising')]
    await ask(mine, { dryRun: true })
    assert.deepEqual(await held(), ['search'], 'what was built from was taken away')
    assert.equal(await ask(mine), 'search')
    assert.equal(await ask(other), 'advertising')
    assert.deepEqual(await held(), ['advertising', ALL, 'search'], 'the first one builds')
    // What an unlimited caller reads is given to a third one, which is not the one that builds.
    assert.equal(await ask(KEYS.north), 'advertising recommendation search newsletter'.split(' ').sort().join(' '))
    assert.deepEqual(await held(), ['advertising', ALL, ALL, 'search'])
    assert.equal(await ask(seeing('search'), { page: { limit: 3 } }), 'search')
    assert.deepEqual(await held(), ['advertising', ALL, ALL, 'search'])
  })

  it('are those of the organization where the host says so, and names keep the rows apart', async () => {
    await start({ engine: { isolation: 'organization', connections: 1 } as never })
    assert.equal(await ask(seeing('search')), 'search')
    assert.equal(await ask(seeing('advertising')), 'advertising')
    assert.equal(await ask(seeing('search', 'newsletter')), 'newsletter search')
    assert.deepEqual(await held(), [ALL])
  })

  it('keep plans of a statement apart that several of them send', async () => {
    await start({ engine: { isolation: 'organization', connections: 1 } as never })
    const keys = ['search', 'advertising', 'newsletter'].map(channel => [channel, seeing(channel)] as const)
    // Another size of the page is another run of the same text.
    for (let limit = 2; limit < 8; limit++)
      for (const [channel, key] of keys) assert.equal(await ask(key, { page: { limit } }), channel)
    for (let limit = 2; limit < 8; limit++) {
      const answers = keys.map(([, key]) => ask(key, { page: { limit: 10 + limit } }))
      assert.deepEqual(
        await Promise.all(answers),
        keys.map(([channel]) => channel),
      )
    }
  })
})
