import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { mcpEndpoint } from 'foldgate/mcp'
import { toNodeHandler } from 'foldgate/node'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'

const PAGE_BYTES = 256 * 1024
/** Some clients refuse longer messages. */
const ANSWER_BYTES = 1024 ** 2

type Row = { id: number; filler: string; yes: boolean }
type Answer = { result: { rows: [number, string, boolean][]; nextCursor?: string } }

const bytesOf = (row: Row) => Buffer.byteLength(JSON.stringify(row))

describe('the pages for agents', () => {
  let service: Service
  let server: Server
  let client: Client
  before(async () => {
    service = await startService({ mcp: mcpEndpoint() })
    server = createServer(toNodeHandler(service.api))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/public/v1/mcp`)
    client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${KEYS.north}` } }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  })
  after(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
    await service.close()
  })

  async function read(sql: string, page: { limit: number; cursor?: string }) {
    const answer = await client.callTool({ name: 'projects_query', arguments: { projectId: PROJECT, sql, page } })
    const [content] = answer.content as { text: string }[]
    assert.equal(answer.isError ?? false, false, content?.text)
    const { rows, nextCursor } = (JSON.parse(content?.text ?? '') as Answer).result
    const items = rows.map(([id, filler, yes]): Row => ({ id, filler, yes }))
    return { items, nextCursor, bytes: Buffer.byteLength(JSON.stringify(answer)) }
  }

  const lengths = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
      { weight: 3, arbitrary: fc.integer({ min: 20_000, max: 90_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: PAGE_BYTES - 60, max: PAGE_BYTES + 40_000 }) },
    ),
    { minLength: 1, maxLength: 120 },
  )

  it('contain every row once, in order, and end at 256 KiB of rows', async () => {
    let early = 0
    let alone = 0
    const filler = fc.constantFrom('x', '"', '\\', 'é', '𝄞')
    const limits = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 5 })
    const walk = fc.asyncProperty(lengths, filler, limits, fc.boolean(), async (lengths, filler, limits, volatile) => {
      const shown = lengths.map(length => Math.floor(length / Buffer.byteLength(JSON.stringify(filler).slice(1, -1))))
      const sql = `SELECT id, repeat('${filler}', [${shown}][id + 1]) AS filler, ${volatile ? 'random() < 2' : 'true'} AS yes
        FROM range(${shown.length}) AS t(id) ORDER BY id`
      const expected = shown.map((count, id) => ({ id, filler: filler.repeat(count), yes: true }))
      const items: Row[] = []
      for (let page = 0, cursor: string | undefined; ; page++) {
        const limit = limits[page % limits.length] as number
        const found = await read(sql, { limit, ...(cursor === undefined ? {} : { cursor }) })
        items.push(...found.items)
        const size = found.items.reduce((sum, row) => sum + bytesOf(row), 0)
        assert.ok(found.items.length >= 1 && found.items.length <= limit)
        if (found.items.length > 1)
          assert.ok(size <= PAGE_BYTES && found.bytes <= ANSWER_BYTES, `${size} bytes of rows`)
        else if (size > PAGE_BYTES) alone++
        cursor = found.nextCursor
        if (cursor === undefined) break
        if (found.items.length === limit) continue
        early++ // so the next row did not fit
        assert.ok(size + bytesOf(expected[items.length] as Row) > PAGE_BYTES, `only ${size} bytes of rows`)
      }
      assert.deepEqual(items, expected)
    })
    await fc.assert(walk, { numRuns: 30 })
    assert.ok(early > 0 && alone > 0, `${early} pages ended early, ${alone} had one large row`)
  }).timeout(60_000)

  it('leave the other entry points as they are', async () => {
    const sql = "SELECT id, repeat('x', 4000) AS filler FROM range(400) AS t(id) ORDER BY id"
    assert.ok((await read(sql, { limit: 400 })).items.length < 70)
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql, page: { limit: 400 } })
    assert.equal(body.result?.items?.length, 400)
    assert.ok((await read(sql, { limit: 400 })).items.length < 70)
  })
})
