import assert from 'node:assert/strict'
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { assertLinear } from '../growth.js'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { readCsv } from '../types/csv-fields.js'

const APP = 'https://app.example'
const CSV = 'text/csv; charset=utf-8; header=present'
const SQL = "SELECT i, 'n' || i AS name FROM range(30) t(i) ORDER BY i"

/** Node refuses more than 16 KiB of headers. */
const LONGEST_HEADER = 15_000

describe('a page as CSV', () => {
  let service: Service
  before(async () => {
    service = await startService({ cors: { origins: [APP] } })
  })
  after(() => service.close())

  /** Sends a call without headers that fetch would add. */
  function ask(params: object, headers: Record<string, string> = {}, path = 'api/projects/query') {
    type Answer = {
      status: number | undefined
      headers: Record<string, string | undefined>
      bytes: Buffer
      text: string
    }
    return new Promise<Answer>((resolve, reject) => {
      const auth = { authorization: `Bearer ${KEYS.north}` }
      const options = { method: 'POST', headers: { ...auth, ...headers } }
      const sent = request(`${service.url}/public/v1/${path}`, options, response => {
        const parts: Buffer[] = []
        response.on('data', part => parts.push(part))
        response.on('end', () => {
          const bytes = Buffer.concat(parts)
          const found = response.headers as Record<string, string | undefined>
          resolve({ status: response.statusCode, headers: found, bytes, text: bytes.toString() })
        })
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ projectId: PROJECT, ...params }))
    })
  }
  const csv = (params: object, headers: Record<string, string> = {}) => ask(params, { accept: 'text/csv', ...headers })
  const typeOf = ({ headers }: Awaited<ReturnType<typeof ask>>) => headers['content-type']

  it('has the rows of the JSON page, and its cursor in a header', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = { limit: 7, ...(cursor ? { cursor } : {}) }
      const [asCsv, asJson] = [await csv({ sql: SQL, page }), await ask({ sql: SQL, page })]
      assert.deepEqual([asCsv.status, typeOf(asCsv)], [200, CSV], asCsv.text)
      const { result } = JSON.parse(asJson.text)
      const [header, ...records] = readCsv(asCsv.text)
      assert.deepEqual(
        header?.map(({ text }) => text),
        ['i', 'name'],
      )
      assert.deepEqual(
        records.map(record => record.map(({ text }) => text)),
        result.items.map((row: { i: number; name: string }) => [String(row.i), row.name]),
      )
      cursor = asCsv.headers['foldgate-next-cursor']
      assert.equal(cursor, result.nextCursor)
      seen.push(...records.map(([i]) => i?.text ?? ''))
      for (const name of ['foldgate-snapshot', 'foldgate-sealed-at', 'ratelimit-policy', 'cache-control'])
        assert.equal(asCsv.headers[name], asJson.headers[name], name)
      assert.match(asCsv.headers.vary ?? '', /^Origin, Accept(, Accept-Encoding)?$/)
      assert.equal(asCsv.headers['x-content-type-options'], 'nosniff')
      assert.equal(asCsv.headers['content-length'], String(asCsv.bytes.byteLength))
    } while (cursor)
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, i) => String(i)),
    )
  })

  it('has the names of the columns also without rows', async () => {
    for (const where of ['false', 'random() < 0'])
      assert.equal((await csv({ sql: `SELECT 1 AS "b,c", 2 AS a, 3 AS "7" WHERE ${where}` })).text, '"b,c",a,7\n')
    const { headers } = await csv({ sql: 'SELECT 1 AS a WHERE false' }, { origin: APP })
    assert.match(headers['access-control-expose-headers'] ?? '', /foldgate-snapshot, foldgate-sealed-at, etag$/)
  })

  it('comes from every source of rows: a page, a chunk and a run', async () => {
    for (const [sql, rows] of [
      ['SELECT i FROM range(3000) t(i) ORDER BY i', 3000],
      ['SELECT random() AS r FROM range(1200)', 1200],
    ] as const) {
      let cursor: string | undefined
      let count = 0
      do {
        const { headers, text } = await csv({ sql, page: { limit: 500, ...(cursor ? { cursor } : {}) } })
        count += readCsv(text).length - 1
        cursor = headers['foldgate-next-cursor']
      } while (cursor)
      assert.equal(count, rows)
    }
  })

  const ACCEPTED: [accept: string, isCsv: boolean][] = [
    ['text/csv', true],
    ['TEXT/CSV', true],
    ['text/csv; header=present; q=0.5', true],
    ['text/csv, */*', true],
    ['text/csv, application/json;q=0.9', true],
    ['application/json;q=0.1, text/csv;q=0.2', true],
    ['text/csv;q=0.5, */*;q=0.4', true],
    ['text/csv;q=0.5, */*', false],
    ['text/csv;q=0', false],
    ['text/csv;q=x', false],
    ['application/json', false],
    ['application/json, text/csv', false],
    ['text/csv, application/json', false],
    ['text/csv, application/*;q=0.9, */*;q=0.1', true],
    ['*/*', false],
    ['text/*', false],
    ['text/html, */*;q=0.8', false],
    ['text/csvx', false],
    ['application/vnd.apache.arrow.stream', false],
    ['', false],
    [',;=', false],
  ]
  it('is sent only to callers that name it and do not prefer JSON', async () => {
    const plain = await ask({ sql: SQL })
    assert.equal(typeOf(plain), 'application/json; charset=utf-8')
    for (const [accept, isCsv] of ACCEPTED) {
      const answer = await ask({ sql: SQL }, { accept })
      assert.equal(typeOf(answer)?.split(';')[0], isCsv ? 'text/csv' : 'application/json', accept)
      if (!isCsv) assert.deepEqual([answer.text, answer.headers.vary], [plain.text, plain.headers.vary], accept)
    }
  })

  it('is not sent by other methods, nor over JSON-RPC', async () => {
    for (const path of ['api/projects/describe', 'api/projects/list', 'json-rpc'])
      assert.match(typeOf(await ask({}, { accept: 'text/csv' }, path)) ?? '', /^application\/json/, path)
  })

  it('reads the longest header that Node accepts in linear time', async () => {
    for (const piece of ['a', ' ', ';', 'q=', ',', 'text/csv;', ';q=1 ', '"'])
      for (const end of ['!', ', text/csv'])
        await assertLinear(
          length => ask({ sql: SQL }, { accept: piece.repeat(length / piece.length) + end }),
          LONGEST_HEADER,
          `${piece} … ${end}`,
        )
  })

  it('gives failures as JSON', async () => {
    const refused = await csv({ sql: 'SELECT nope' })
    assert.deepEqual([refused.status, JSON.parse(refused.text).class], [422, 'INVALID_QUERY'])
    assert.match(typeOf(refused) ?? '', /^application\/json/)
  })

  it('has warnings in a header, or only their number when they are many', async () => {
    const one = await csv({ sql: SQL, größe: 1 })
    const [warning] = JSON.parse(one.headers['foldgate-warnings'] ?? '[]')
    assert.deepEqual([typeOf(one), warning.path, one.headers.etag], [CSV, 'größe', undefined])
    assert.match(one.headers['foldgate-warnings'] ?? '', /^[\x20-\x7e]+$/)
    const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field${n}`, n]))
    assert.equal((await csv({ sql: SQL, ...fields })).headers['foldgate-warnings'], '300')
    assert.equal((await csv({ sql: SQL })).headers['foldgate-warnings'], undefined)
  })

  it('has an ETag of its own', async () => {
    const [asCsv, asJson] = [await csv({ sql: SQL }), await ask({ sql: SQL })]
    assert.notEqual(asCsv.headers.etag, asJson.headers.etag)
    const { etag = '' } = asCsv.headers
    const known = await csv({ sql: SQL }, { 'if-none-match': etag })
    assert.deepEqual([known.status, known.text, typeOf(known)], [304, '', undefined])
    assert.equal(known.headers.vary, 'Origin, Accept, Accept-Encoding')
    assert.equal((await ask({ sql: SQL }, { 'if-none-match': etag })).status, 200)
  })

  it('is compressed like JSON', async () => {
    const sql = 'SELECT i, md5(i::VARCHAR) AS text FROM range(500) t(i) ORDER BY i'
    const plain = await csv({ sql, page: { limit: 500 } })
    const { headers, bytes } = await csv({ sql, page: { limit: 500 } }, { 'accept-encoding': 'gzip' })
    assert.deepEqual([headers['content-encoding'], headers.vary], ['gzip', 'Origin, Accept, Accept-Encoding'])
    assert.equal(gunzipSync(bytes).toString(), plain.text)
  })

  it('may be read by pages of allowed origins, with its headers', async () => {
    const { headers } = await csv({ sql: SQL, page: { limit: 7 }, size: 1 }, { origin: APP })
    assert.match(
      headers['access-control-expose-headers'] ?? '',
      /, foldgate-snapshot, foldgate-sealed-at, foldgate-next-cursor, foldgate-warnings$/,
    )
  })

  it('is described as a further type of the page', async () => {
    const { paths } = JSON.parse(await (await fetch(`${service.url}/public/v1/openapi.json`)).text())
    const { headers, content } = paths['/public/v1/api/projects/query'].post.responses[200]
    for (const name of ['Foldgate-Next-Cursor', 'Foldgate-Warnings', 'ETag']) assert.ok(headers[name], name)
    assert.deepEqual(Object.keys(content), ['application/json', 'text/csv'])
  })
})
