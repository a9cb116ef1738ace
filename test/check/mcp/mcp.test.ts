import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { memoryQuota } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'
import { toNodeHandler } from 'foldgate/node'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../../service/service.js'

const CALLS = 40

describe('the server for agents', () => {
  let service: Service
  let server: Server
  let url: string
  let client: Client
  before(async () => {
    service = await startService({ mcp: mcpEndpoint(), quota: memoryQuota({ calls: CALLS, windowMs: 3_600_000 }) })
    server = createServer(toNodeHandler(service.api))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    client = await connect(KEYS.north)
  })
  after(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
    await service.close()
  })

  async function connect(key: string | null): Promise<Client> {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const connected = new Client({ name: 'test', version: '1' })
    await connected.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/public/v1/mcp`), { requestInit: { headers } }),
    )
    return connected
  }
  const call = async (name: string, params: Record<string, unknown>, by = client) => {
    const answer = await by.callTool({ name, arguments: params })
    const [content] = answer.content as { type: string; text: string }[]
    return {
      isError: answer.isError === true,
      structured: answer.structuredContent,
      told: JSON.parse(content?.text ?? ''),
    }
  }

  it('lists the methods and the named queries as tools, of which an export alone writes', async () => {
    const { tools } = await client.listTools()
    assert.deepEqual(tools.map(tool => tool.name).sort(), [
      'projects_describe',
      'projects_export',
      'projects_list',
      'projects_query',
      ...['queries_amounts_of', 'queries_as_number', 'queries_numbers', 'queries_totals'],
    ])
    for (const { name, description, inputSchema, annotations } of tools) {
      assert.ok((description ?? '').length > (name.startsWith('queries_') ? 10 : 60))
      assert.equal(inputSchema.type, 'object')
      assert.equal(annotations?.readOnlyHint, name !== 'projects_export')
    }
  })

  it('answers as the other entry points do', async () => {
    const params = { projectId: PROJECT, sql: 'FROM fold_totals ORDER BY item', page: { limit: 1 }, colour: 'red' }
    const rest = await service.call('projects/query', params)
    const { structured, told } = await call('projects_query', params)
    assert.equal(structured, undefined)
    const { items = [], nextCursor } = rest.body.result ?? {}
    assert.deepEqual(told, {
      result: {
        columns: [
          { name: 'item', type: 'VARCHAR' },
          { name: 'total', type: 'DOUBLE' },
        ],
        shown: 'first 1 of 2',
        hints: [],
        rows: items.map(row => Object.values(row)),
        nextCursor,
      },
      warnings: rest.body.warnings,
    })
    const listed = await call('projects_list', {})
    assert.deepEqual([listed.structured, listed.told], [undefined, (await service.call('projects/list', {})).body])
    const exported = await call('projects_export', { projectId: PROJECT, sql: 'SELECT 1 AS one' })
    assert.equal(exported.told.result.rows, 1)
  })

  it('exports in every format that the schema of the tool names', async () => {
    const { tools } = await client.listTools()
    const schema = JSON.stringify(tools.find(({ name }) => name === 'projects_export')?.inputSchema)
    for (const format of ['parquet', 'csv', 'ndjson', 'arrow', 'xlsx'])
      assert.ok(schema.includes(`"${format}"`), format)
    const sql = `SELECT 1 AS one, '=1' AS text`
    const exported = await call('projects_export', { projectId: PROJECT, sql, format: 'csv', csvInjection: 'escape' })
    assert.equal(exported.isError, false)
    assert.equal((await fetch(exported.told.result.url)).status, 401)
    const { description } = tools.find(({ name }) => name === 'projects_export') ?? {}
    assert.match(description ?? '', /downloading the file takes the same key/)
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const file = await fetch(exported.told.result.url, { headers })
    assert.equal(await file.text(), "one,text\n1,'=1\n")
    const refused = await call('projects_export', { projectId: PROJECT, sql, format: 'ods' })
    assert.deepEqual([refused.isError, refused.told.class, refused.told.data.path], [true, 'INVALID_PARAMS', 'format'])
    assert.match(refused.told.message, /"parquet" or "csv" or "ndjson" or "arrow"/)
  })

  it('names the dialect, and the tools as agents call them', async () => {
    const { tools } = await client.listTools()
    const texts = [client.getInstructions() ?? '', ...tools.map(tool => JSON.stringify(tool))]
    for (const text of texts) assert.doesNotMatch(text, /projects\//)
    for (const text of [texts[0], tools.find(({ name }) => name === 'projects_query')?.description])
      assert.match(text ?? '', /DuckDB/)
    const cursor = await call('projects_list', { page: { cursor: 'x' } })
    const volatile = "SELECT random() AS value, repeat('x', 1000) AS filler FROM range(3000000)"
    const large = await call('projects_query', { projectId: PROJECT, sql: volatile, page: { limit: 1 } })
    assert.match(large.told.data.hint, /projects_export/)
    for (const { told } of [cursor, large]) assert.doesNotMatch(JSON.stringify(told), /projects\//)
    const rows = await call('projects_query', { projectId: PROJECT, sql: "SELECT 'projects/list' AS path" })
    assert.deepEqual(rows.told.result.rows, [['projects/list']])
  })

  it('says what to write instead', async () => {
    const { isError, told } = await call('projects_query', { projectId: PROJECT, sql: 'SELECT * FROM amount' })
    assert.ok(isError)
    assert.deepEqual([told.class, told.code, told.data.line, told.data.column], ['INVALID_QUERY', 1422, 1, 15])
    assert.match(told.message, /amounts/)
    const unread = await call('projects_describe', { projectId: 12 })
    assert.deepEqual([unread.isError, unread.told.class, unread.told.data.path], [true, 'INVALID_PARAMS', 'projectId'])
    const foreign = await call('projects_describe', { projectId: FOREIGN_PROJECT })
    assert.equal(foreign.told.class, 'FORBIDDEN')
  })

  it('refuses clients without a valid key', async () => {
    for (const key of [null, 'nobody']) await assert.rejects(connect(key), /401|Unauthorized/i)
    const bare = await fetch(`${url}/public/v1/mcp`, { method: 'POST', body: '{}' })
    assert.deepEqual([bare.status, bare.headers.get('www-authenticate')], [401, 'Bearer'])
    assert.equal(((await bare.json()) as { class: string }).class, 'UNAUTHENTICATED')
  })

  it('reports a fault to the host, and its reference to the caller', async () => {
    const cause = new Error('no header')
    const answer = await service.api.adapter.answer({
      method: 'POST',
      path: '/public/v1/mcp',
      header: () => assert.fail(cause),
      readBody: async () => new Uint8Array(),
      signal: new AbortController().signal,
    })
    const body = JSON.parse(Buffer.concat(answer.body as Uint8Array[]).toString())
    assert.deepEqual([answer.status, body.class], [500, 'INTERNAL'])
    assert.deepEqual(service.events.at(-1), { type: 'fault', reference: body.data.reference, cause })
  })

  it('refuses a body that is not a message, and one that is too large', async () => {
    const headers = {
      authorization: `Bearer ${KEYS.north}`,
      'content-type': 'application/json',
      accept: 'application/json',
    }
    const send = (body: string) => fetch(`${url}/public/v1/mcp`, { method: 'POST', headers, body })
    const broken = await send('{"jsonrpc":')
    assert.ok(broken.status >= 400 && broken.status < 500, String(broken.status))
    const large = await send(`"${'x'.repeat(2 * 1024 * 1024)}"`)
    assert.deepEqual([large.status, ((await large.json()) as { class: string }).class], [400, 'INVALID_REQUEST'])
  })

  it('does not change the other paths', async () => {
    const response = await fetch(`${url}/public/v1/description.json`)
    assert.equal(response.status, 200)
  })

  it('counts tool calls in the quota of the key, and says when to retry', async () => {
    const mate = await connect(KEYS.mate)
    const answers = []
    for (let count = 0; count <= CALLS; count++) answers.push(await call('projects_list', {}, mate))
    assert.deepEqual(new Set(answers.slice(0, CALLS).map(({ isError }) => isError)), new Set([false]))
    const last = answers.at(-1)
    assert.equal(last?.told.class, 'RATE_LIMITED')
    assert.ok(last.told.data.retryAfterSeconds > 0)
    await mate.close()
  })
})
