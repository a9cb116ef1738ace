import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { ENTITIES, KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { readParquetRows } from '../types/arrow.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describe('projects/export and the download', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { exportBytes: 300_000 } })
  })
  after(() => service.close())

  const sql = 'SELECT i, i * 2 AS twice FROM range(1000) t(i) ORDER BY i'
  async function exported(params: object = {}) {
    const { status, body } = await service.call('projects/export', { projectId: PROJECT, sql, ...params })
    assert.equal(status, 200, body.message)
    return body.result as { url: string; expiresAt: string; rows: number; bytes: number }
  }
  const get = (url: string, key: string | null = KEYS.north, init: RequestInit = {}) =>
    fetch(url, {
      ...init,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...(init.headers as object) },
    })

  it('returns url, expiresAt, rows and bytes, and writes every row to the file', async () => {
    const before = service.clock.now()
    const result = await exported()
    assert.deepEqual(Object.keys(result), ['url', 'expiresAt', 'rows', 'bytes'])
    assert.ok(result.url.startsWith(`${service.url}/public/v1/exports/`))
    const validMs = Date.parse(result.expiresAt) - before
    assert.ok(validMs >= 15 * MINUTE_MS && validMs < 15 * MINUTE_MS + 20_000)
    const response = await get(result.url)
    const bytes = new Uint8Array(await response.arrayBuffer())
    assert.equal(bytes.byteLength, result.bytes)
    const rows = readParquetRows(bytes)
    assert.equal(rows.length, result.rows)
    assert.deepEqual(rows[999], { i: 999, twice: 1998 })
  })

  it('says in the metadata of the file what its rows are', async () => {
    const statement = `SELECT 'é "quoted"' AS a, '{}' AS b`
    const hasViews = VENDOR.catalogue.hierarchy !== null
    const view = hasViews ? { entityId: ENTITIES.leaf, ownershipView: 'gross' } : {}
    const { url } = await exported({ sql: `${statement};`, ...view })
    const path = join(service.folder, 'downloaded.parquet')
    await writeFile(path, new Uint8Array(await (await get(url)).arrayBuffer()))
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const read = await connection.runAndReadAll(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`)
    connection.disconnectSync()
    instance.closeSync()
    const {
      'foldgate.snapshot_id': snapshotId,
      'foldgate.sealed_at': sealedAt,
      ...others
    } = Object.fromEntries(read.getRows()) as Record<string, string>
    assert.deepEqual(others, {
      'foldgate.project_id': PROJECT,
      ...(hasViews ? { 'foldgate.entity_id': ENTITIES.leaf, 'foldgate.ownership_view': 'gross' } : {}),
      'foldgate.sql': statement,
    })
    assert.match(snapshotId ?? '', /^\d{6}-[0-9a-f-]{36}$/)
    assert.ok(Date.parse(sealedAt ?? '') > 0)
  })

  it('sends the headers of a file; HEAD sends the same ones and counts no download', async () => {
    const { url, bytes } = await exported()
    const counted = () => service.usage.filter(record => record.method === 'download').length
    const before = counted()
    const head = await get(url, KEYS.north, { method: 'HEAD' })
    assert.equal(counted(), before)
    const full = await get(url)
    await full.arrayBuffer()
    assert.equal(counted(), before + 1)
    for (const response of [head, full]) {
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-length'), String(bytes))
      assert.equal(response.headers.get('content-type'), 'application/vnd.apache.parquet')
      assert.match(
        response.headers.get('content-disposition') ?? '',
        /^attachment; filename="project-1-[\dT-]+\.parquet"$/,
      )
      assert.equal(response.headers.get('cache-control'), 'private, no-store')
    }
  })

  it('ignores Range', async () => {
    const { url, bytes } = await exported()
    const response = await get(url, KEYS.north, { headers: { range: 'bytes=0-9' } })
    assert.deepEqual([response.status, (await response.arrayBuffer()).byteLength], [200, bytes])
  })

  it('serves the file to keys of the same owner that can still read the project', async () => {
    const { url } = await exported()
    const status = async (key: string | null) => {
      const response = await get(url, key)
      const body = response.ok ? {} : ((await response.json()) as { class: string })
      return [response.status, 'class' in body ? body.class : null]
    }
    assert.deepEqual(await status(KEYS.mate), [200, null])
    assert.deepEqual(await status(null), [401, 'UNAUTHENTICATED'])
    assert.deepEqual(await status('nobody'), [401, 'UNAUTHENTICATED'])
    assert.deepEqual(await status(KEYS.south), [404, 'NOT_FOUND'])
    service.host.callers.set('key-lost', { keyId: 'k-lost', ownerId: 'ada', organizations: ['south'] })
    assert.deepEqual(await status('key-lost'), [404, 'NOT_FOUND'])
  })

  it('returns a link that does not reveal its owner, whatever the owner id', async () => {
    const ownerId = `ada@example.org ${'x'.repeat(5000)}`
    const key = 'key-of-a-long-name'
    service.host.callers.set(key, { keyId: 'k-long', ownerId, organizations: ['north'] })
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql }, key)
    const { url } = body.result as { url: string }
    assert.equal((await get(url, key)).status, 200)
    assert.equal((await get(url)).status, 404)
    const [sealed = ''] = url.split('/').at(-1)?.split('.') ?? []
    const shown = Buffer.from(sealed, 'base64url').toString()
    assert.ok(shown.includes(PROJECT) && !shown.includes('ada@example.org'), shown)
  })

  it('answers 404 to a link that was never issued, or 401 without a key', async () => {
    const { url } = await exported()
    for (const forged of [
      `${url}x`,
      url.slice(0, -1),
      `${service.url}/public/v1/exports/x`,
      `${service.url}/public/v1/exports/`,
    ]) {
      assert.equal((await get(forged)).status, 404, forged)
      assert.equal((await get(forged, null)).status, 401)
    }
  })

  it('refuses other verbs and says which are allowed', async () => {
    const { url } = await exported()
    const response = await get(url, KEYS.north, { method: 'POST' })
    assert.deepEqual([response.status, response.headers.get('allow')], [400, 'GET, HEAD'])
  })

  it('serves a link for 15 minutes, then answers 410 for a day, then 404', async () => {
    const { url } = await exported()
    const statuses: number[] = []
    for (const step of [14 * MINUTE_MS, 2 * MINUTE_MS, DAY_MS - 3 * MINUTE_MS, 5 * MINUTE_MS]) {
      service.clock.advance(step)
      const response = await get(url)
      statuses.push(response.status)
      if (response.status === 410) assert.equal(((await response.json()) as { class: string }).class, 'LINK_EXPIRED')
      else await response.arrayBuffer()
    }
    assert.deepEqual(statuses, [200, 410, 410, 404])
  })

  it('stops a file that exceeds its limit with QUERY_TOO_LARGE and leaves nothing behind', async () => {
    const before = (await readdir(join(service.folder, 'exports'))).length
    const large = 'SELECT md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b FROM range(3000000) t(i)'
    const { status, body } = await service.call('projects/export', { projectId: PROJECT, sql: large })
    assert.deepEqual([status, body.code, body.class], [413, 1413, 'QUERY_TOO_LARGE'])
    assert.equal((await readdir(join(service.folder, 'exports'))).length, before)
    assert.deepEqual(await readdir(join(service.folder, 'engine', 'outbox')), [])
  })

  it('has no limit on the size of a row', async () => {
    const wide = "SELECT string_agg(md5(i::VARCHAR), '') AS s FROM range(200000) t(i)"
    const { status } = await service.call('projects/query', { projectId: PROJECT, sql: wide })
    assert.equal(status, 422)
    const answer = await service.call('projects/export', {
      projectId: PROJECT,
      sql: "SELECT repeat(repeat('x', 1000), 1000) || repeat(repeat('y', 1000), 1000) || repeat(repeat('y', 1000), 1000) || repeat(repeat('y', 1000), 1000) || repeat(repeat('y', 1000), 1000) AS s",
    })
    assert.deepEqual([answer.status, answer.body.result?.rows], [200, 1])
  })

  it('answers 404 when the storage no longer has the file', async () => {
    const { url } = await exported()
    await rm(join(service.folder, 'exports'), { recursive: true })
    assert.equal((await get(url)).status, 404)
  })
})
