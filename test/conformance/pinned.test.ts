import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { KEYS, OTHER_PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { manifestPath } from '../stored.js'
import { until } from '../until.js'

const { signal } = new AbortController()
const { single, files, table } = VENDOR
const { sql, column } = single
const NUMBERS = 'SELECT i FROM range(30) t(i) ORDER BY i'
const RANDOM = 'SELECT i, random() AS r FROM range(30) t(i) ORDER BY i'

describe('a snapshot that calls name', () => {
  let service: Service
  let port: Service['snapshots']
  /** A project for each test. */
  let projectId: string
  /** Oldest first. */
  let sealed: string[]
  before(async () => {
    service = await startService()
    port = { ...service.snapshots }
  })
  beforeEach(async () => {
    projectId = service.host.addProject({ projectId: randomUUID(), completed: true }).projectId
    sealed = []
    for (const changed of [{}, single.files(6), single.files(7)])
      sealed.push(await service.seal(projectId, { ...files, ...changed }))
  })
  afterEach(() => void Object.assign(service.snapshots, port))
  after(() => service.close())

  const call = (method: string, params: object) => service.call(`projects/${method}`, { projectId, ...params })
  const query = (params: object) => call('query', { sql, ...params })
  const listed = async () => {
    const { body } = await call('describe', { include: ['snapshots'] })
    return (body.result as { snapshots?: { snapshot: string; sealedAt: string }[] }).snapshots
  }
  async function mustBeGone(snapshot: string | undefined, params: object = {}) {
    for (const method of ['query', 'export', 'describe']) {
      const { status, body } = await call(method, { ...(method === 'describe' ? {} : { sql }), snapshot, ...params })
      assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', 'snapshot'], method)
      assert.match(body.message ?? '', /keeps no snapshot with this id/)
    }
  }

  it('gives the same rows while newer ones are sealed, over three pages, and until it is removed', async () => {
    const [, second, newest] = sealed
    const page = (cursor?: string) => query({ sql: NUMBERS, snapshot: second, page: { limit: 7, cursor } })
    const first = await page()
    await service.seal(projectId)
    const next = await page(first.body.result?.nextCursor)
    const third = await page(next.body.result?.nextCursor)
    const rows = [first, next, third].flatMap(({ body }) => body.result?.items ?? [])
    assert.deepEqual(
      rows.map(row => row.i),
      Array.from({ length: 21 }, (_, i) => i),
    )
    for (const each of [first, next, third]) assert.equal(each.headers.get('foldgate-snapshot'), second)
    await service.snapshots.prune(projectId, 1)
    // Its pages, relations and entities are still in memory.
    const cursor = third.body.result?.nextCursor
    await mustBeGone(second)
    assert.equal((await page(cursor)).body.data?.path, 'snapshot')
    assert.equal((await page()).body.data?.path, 'snapshot')
    await mustBeGone(newest)
    const unpinned = await query({ sql: NUMBERS, page: { limit: 7, cursor } })
    assert.equal(unpinned.body.data?.path, 'page.cursor')
  })

  it('keeps a run whose rows differ from run to run', async () => {
    const [old] = sealed
    const first = await query({ sql: RANDOM, snapshot: old, page: { limit: 7 } })
    await service.seal(projectId)
    const page = { limit: 7, cursor: first.body.result?.nextCursor }
    const [one, two] = [
      await query({ sql: RANDOM, snapshot: old, page }),
      await query({ sql: RANDOM, snapshot: old, page }),
    ]
    assert.equal(one.body.result?.items?.length, 7)
    assert.deepEqual(two.body, one.body)
  })

  it('has its own rows, headers, ETag and file', async () => {
    for (const [at, value] of [undefined, 6, 7].entries()) {
      const snapshot = sealed[at]
      if (value === undefined) continue
      const { body, headers } = await query({ snapshot })
      assert.deepEqual(body.result?.items, [{ [column]: value }])
      const { sealedAt } =
        (await service.snapshots.manifests(projectId)).find(each => each.snapshotId === snapshot) ?? {}
      assert.deepEqual([headers.get('foldgate-snapshot'), headers.get('foldgate-sealed-at')], [snapshot, sealedAt])
      const exported = await call('export', { sql, snapshot })
      assert.equal(exported.headers.get('foldgate-snapshot'), snapshot)
      const authorization = `Bearer ${KEYS.north}`
      const file = await fetch(exported.body.result?.url ?? '', { headers: { authorization } })
      const path = join(service.folder, 'exported.parquet')
      await writeFile(path, Buffer.from(await file.arrayBuffer()))
      const told = await metadataOf(path)
      assert.deepEqual([told['foldgate.snapshot_id'], told['foldgate.sealed_at']], [snapshot, sealedAt])
    }
    const [, old, newest] = sealed
    const tags = [await query({ snapshot: old }), await query({ snapshot: newest }), await query({})].map(
      ({ headers }) => headers.get('etag'),
    )
    assert.equal(tags[1], tags[2], 'a page is the same whether its snapshot is named or the latest')
    assert.notEqual(tags[0], tags[1])
    const again = (tag: string | null, params: object) =>
      fetch(`${service.url}/public/v1/api/projects/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEYS.north}`, 'if-none-match': tag ?? '' },
        body: JSON.stringify({ projectId, sql, ...params }),
      })
    assert.equal((await again(tags[0] ?? null, { snapshot: old })).status, 304)
    assert.equal((await again(tags[0] ?? null, {})).status, 200)
    await service.snapshots.prune(projectId, 1)
    assert.equal((await again(tags[0] ?? null, { snapshot: old })).status, 400)
  })

  it('is no news, and neither is the latest one after it', async () => {
    const news = () => service.events.filter(event => event.type === 'snapshot' && event.projectId === projectId)
    await query({ snapshot: sealed[0] })
    await query({ snapshot: sealed[2] })
    await query({})
    await query({ snapshot: sealed[1] })
    await query({})
    assert.deepEqual(news(), [])
    const newest = await service.seal(projectId)
    await query({ snapshot: newest })
    assert.deepEqual(news(), [])
    await query({ snapshot: sealed[0] })
    await query({})
    assert.deepEqual(
      news().map(event => event.type === 'snapshot' && event.snapshotId),
      [newest],
    )
  })

  it('is listed with the time of its sealing, unless it cannot be read', async () => {
    const dated = async () =>
      (await service.snapshots.manifests(projectId)).map(({ snapshotId, sealedAt }) => ({
        snapshot: snapshotId,
        sealedAt,
      }))
    assert.deepEqual(await listed(), await dated())
    assert.equal((await listed())?.length, 3)
    await service.seal(projectId)
    const [newest, third, , first] = await dated()
    const manifestOf = (at: number) => manifestPath(join(service.folder, 'snapshots'), projectId, sealed[at] ?? '')
    const whole = await readFile(manifestOf(1), 'utf8')
    let writtenAt = (await stat(manifestOf(1))).mtimeMs
    /** Writes another manifest, at a time of its own: two writes may have one time of the file system. */
    const rewrite = async (text: string) => {
      await writeFile(manifestOf(1), text)
      writtenAt += 1_000
      await utimes(manifestOf(1), writtenAt / 1_000, writtenAt / 1_000)
    }
    const other = await startedAgain()
    /** Waits for a listing: what another process has changed is listed within 20 ms. */
    const lists = (expected: unknown) =>
      until(async () => isDeepStrictEqual(await other.listed(), expected), JSON.stringify(expected))
    await rewrite(JSON.stringify({ formatVersion: 99, snapshotId: sealed[1] }))
    await lists([newest, third, first])
    await rewrite('{')
    const before = other.events.length
    await until(async () => {
      await lists([newest, third, first])
      return other.events.length > before
    }, 'the host is told of the damage')
    await rewrite(whole)
    await lists(await dated())
    await service.snapshots.prune(projectId, 2)
    assert.deepEqual(await other.listed(), [newest, third])
    await other.close()
  })

  /** Another service over the same snapshots, which has nothing in memory. */
  async function startedAgain() {
    const { snapshots } = service
    const own = await startService({ snapshots })
    own.host.addProject({ projectId, completed: true })
    return {
      events: own.events,
      close: () => own.close(),
      listed: async () => {
        const { body } = await own.call('projects/describe', { projectId, include: ['snapshots'] })
        return (body.result as { snapshots?: object[] }).snapshots
      },
    }
  }

  it('never reaches the port unless the port has listed it', async () => {
    const opened: string[] = []
    const { open, manifestOf } = service.snapshots
    service.snapshots.open = (projectId, snapshotId, files, signal) => {
      opened.push(snapshotId)
      return open(projectId, snapshotId, files, signal)
    }
    service.snapshots.manifestOf = (projectId, snapshotId, signal) => {
      opened.push(snapshotId)
      return manifestOf(projectId, snapshotId, signal)
    }
    const [foreign = ''] = await service.snapshots.list(OTHER_PROJECT, signal)
    for (const id of ['', '..', `../${OTHER_PROJECT}/${foreign}`, foreign, `${sealed[0]}/`, `${sealed[0]}\n`])
      await mustBeGone(id)
    await query({ snapshot: sealed[0] })
    await listed()
    assert.ok(opened.length > 0)
    for (const id of opened) assert.ok(sealed.includes(id), id)
  })

  it('is read by a call that has begun when it is removed, and by none that begins later', async () => {
    const [old = ''] = sealed
    const { open } = service.snapshots
    // Found, and removed before its relations are built.
    assert.equal((await call('describe', { snapshot: old })).status, 200)
    service.snapshots.open = async (projectId, snapshotId, files, signal) => {
      service.snapshots.open = open
      assert.ok((await service.snapshots.prune(projectId, 2)).includes(old))
      return open(projectId, snapshotId, files, signal)
    }
    const sql = `SELECT count(*) AS n FROM ${table.name}`
    assert.equal((await query({ sql, snapshot: old })).status, 200)
    await mustBeGone(old)
  })

  it('that the port no longer has when it is opened is INVALID_PARAMS', async () => {
    const [second = ''] = await service.snapshots.list(projectId, signal)
    await service.seal(projectId)
    const { open } = service.snapshots
    service.snapshots.open = async (_, snapshotId) => {
      service.snapshots.open = open
      await service.snapshots.prune(projectId, 1)
      assert.equal(snapshotId, second)
      return null
    }
    const gone = await query({ sql: `SELECT count(*) + 1 AS n FROM ${table.name}`, snapshot: second })
    assert.deepEqual([gone.status, gone.body.class, gone.body.data?.path], [400, 'INVALID_PARAMS', 'snapshot'])
  })

  it('is read on by another process of the engine when the first one is killed', async () => {
    const [, old] = sealed
    assert.deepEqual((await query({ snapshot: old })).body.result?.items, [{ [column]: 6 }])
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL')
    for (let at = 0; at < 3; at++) {
      const { status, body } = await query({ sql: `${sql} -- ${at}`, snapshot: old })
      if (status === 200) assert.deepEqual(body.result?.items, [{ [column]: 6 }])
    }
    assert.deepEqual((await query({ sql: `${sql} -- last`, snapshot: old })).body.result?.items, [{ [column]: 6 }])
  })

  it('is read although the latest one is damaged', async () => {
    const newest = await service.seal(projectId)
    await writeFile(manifestPath(join(service.folder, 'snapshots'), projectId, newest), '{')
    assert.equal((await query({})).status, 503)
    assert.deepEqual((await query({ snapshot: sealed[1] })).body.result?.items, [{ [column]: 6 }])
  })
})

async function metadataOf(path: string): Promise<Record<string, unknown>> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`)
  const told = Object.fromEntries(read.getRows())
  instance.closeSync()
  return told
}
