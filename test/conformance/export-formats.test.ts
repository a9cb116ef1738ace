import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportFormat } from 'foldgate/client'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

const SQL = 'SELECT i, i * 2 AS twice FROM range(1000) t(i) ORDER BY i'
const TYPES: Record<ExportFormat, [type: string, extension: string]> = {
  parquet: ['application/vnd.apache.parquet', 'parquet'],
  csv: ['text/csv; charset=utf-8; header=present', 'csv'],
  ndjson: ['application/x-ndjson', 'ndjson'],
  arrow: ['application/vnd.apache.arrow.stream', 'arrows'],
  xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
}
const FORMATS = Object.keys(TYPES) as ExportFormat[]
const DAY_MS = 86_400_000

describe('the format of an export', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { exportBytes: 300_000 } })
  })
  after(() => service.close())

  const call = (params: object, key = KEYS.north) =>
    service.call('projects/export', { projectId: PROJECT, sql: SQL, ...params }, key)
  const get = (url: string, key: string = KEYS.north, method = 'GET') =>
    fetch(url, { method, headers: { authorization: `Bearer ${key}` } })

  for (const format of FORMATS) {
    const [type, extension] = TYPES[format]

    it(`${format} has its own type, file name and size, for keys of its owner`, async () => {
      const { status, body } = await call({ format })
      assert.equal(status, 200, body.message)
      const { url, rows, bytes, ...others } = body.result as { url: string; rows: number; bytes: number }
      assert.deepEqual([rows, Object.keys(others)], [1000, ['expiresAt']])
      for (const method of ['HEAD', 'GET']) {
        const response = await get(url, KEYS.north, method)
        assert.equal(response.headers.get('content-type'), type)
        assert.equal(response.headers.get('content-length'), String(bytes))
        const name = new RegExp(`^attachment; filename="project-1-[\\dT-]+\\.${extension}"$`)
        assert.match(response.headers.get('content-disposition') ?? '', name)
        assert.equal((await response.arrayBuffer()).byteLength, method === 'GET' ? bytes : 0)
      }
      assert.equal((await get(url, KEYS.mate, 'HEAD')).status, 200)
      assert.equal((await get(url, KEYS.south, 'HEAD')).status, 404)
    })

    it(`${format} stops at the size of an export, and leaves nothing`, async () => {
      const { status, body } = await call({ format, sql: 'SELECT hash(i)::VARCHAR AS a FROM range(200000) t(i)' })
      assert.deepEqual([status, body.class], [413, 'QUERY_TOO_LARGE'])
      assert.match(body.message ?? '', /^The file passed 300000 bytes\. /)
      const left = await readdir(join(service.folder, 'engine'), { recursive: true })
      assert.deepEqual(
        left.filter(name => name.endsWith(format)),
        [],
      )
    })

    it(`${format} reports a failure of the statement in its place`, async () => {
      const sql = "SELECT i, CASE WHEN i > 500 THEN CAST('x' AS INTEGER) END AS a FROM range(1000) t(i)"
      const { status, body } = await call({ format, sql })
      assert.deepEqual([status, body.class, body.data?.rule], [422, 'INVALID_QUERY', 'engine'], body.message)
    })
  }

  it('is parquet by default, and then the link is as short as ever', async () => {
    const plain = await call({})
    const named = await call({ format: 'parquet' })
    const lengthOf = ({ body }: typeof plain) => (body.result as { url: string }).url.length
    assert.equal(lengthOf(plain), lengthOf(named))
    assert.equal((await get((plain.body.result as { url: string }).url)).headers.get('content-type'), TYPES.parquet[0])
  })

  it('is refused when it is none, whatever its type', async () => {
    for (const format of ['CSV', 'json', '', null, 1, ['csv'], { name: 'csv' }]) {
      const { status, body } = await call({ format })
      assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', 'format'], JSON.stringify(format))
      const names = '"parquet" or "csv" or "ndjson" or "arrow" or "xlsx"'
      assert.equal(body.message, `The field "format" must be ${names}.`)
    }
    const { body } = await call({ csvInjection: 'drop' })
    assert.equal(body.message, 'The field "csvInjection" must be "keep" or "escape".')
  })

  it('cannot be changed in a link', async () => {
    const { body } = await call({ format: 'csv' })
    const { url } = body.result as { url: string }
    const [sealed = '', signature = ''] = (url.split('/').at(-1) ?? '').split('.')
    const text = Buffer.from(sealed, 'base64url').toString()
    assert.ok(text.includes('"csv"'), text)
    const forged = Buffer.from(text.replace('"csv"', '"xlsx"')).toString('base64url')
    assert.equal((await get(url.replace(`${sealed}.${signature}`, `${forged}.${signature}`))).status, 404)
  })

  it('is written by every entry point', async () => {
    const params = { projectId: PROJECT, sql: SQL, format: 'ndjson' }
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/export', params })
    const answer = await service.api.adapter.receive(message, { authorization: `Bearer ${KEYS.north}` })
    const { result } = JSON.parse(answer) as { result: { url: string } }
    assert.equal((await get(result.url)).headers.get('content-type'), TYPES.ndjson[0])
  })

  it('changes nothing in how long a link lasts', async () => {
    const links = await Promise.all(
      FORMATS.map(async format => ((await call({ format })).body.result as { url: string }).url),
    )
    const statuses = () => Promise.all(links.map(async url => (await get(url)).status))
    const all = (status: number) => FORMATS.map(() => status)
    assert.deepEqual(await statuses(), all(200))
    service.clock.advance(15 * 60_000 + 1)
    assert.deepEqual(await statuses(), all(410))
    service.clock.advance(DAY_MS)
    assert.deepEqual(await statuses(), all(404))
  })
})
