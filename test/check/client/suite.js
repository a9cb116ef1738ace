// What a page does with the client. The test runs it in a browser, plain and bundled.
import { AnalyticsClientError, AnalyticsConnectionError, createClient } from 'foldgate/client'

const { url, key, projectId, transport: entry, silentUrl } = Object.fromEntries(new URLSearchParams(location.search))
const transport = entry === 'socket' ? { WebSocket } : entry
const nameOf = error =>
  error instanceof AnalyticsClientError
    ? error.class
    : error instanceof AnalyticsConnectionError
      ? error.message
      : error

async function use() {
  const client = createClient({ url, key, transport })
  const { items } = await client.list()
  const { columns } = await client.describe({ projectId, relation: 'amounts' })
  let sum = 0
  for await (const row of client.rows({ projectId, sql: 'SELECT i FROM range(1203) t(i) ORDER BY i' })) sum += row.i
  const sql = `SELECT i, 'n' || i AS name, (i / 4)::DECIMAL(18, 2) AS cost, DATE '2026-11-20' AS day FROM range(70000) t(i)`
  const exported = await client.export({ projectId, sql })
  const progress = []
  const { body, fileName } = await client.download(exported, { onProgress: seen => progress.push(seen) })
  const { byteLength } = await new Response(body).arrayBuffer()
  const table = await client.readTable(exported)
  const refused = await client.query({ projectId, sql: 'SELECT nope' }).catch(nameOf)
  const stranger = await createClient({ url, key: 'nobody', transport }).list().catch(nameOf)
  const silent = silentUrl && (await createClient({ url: silentUrl, key, transport }).list().catch(nameOf))
  const stopped = await client
    .list({}, { signal: AbortSignal.abort(new Error('enough')) })
    .catch(error => error.message)
  const whole = byteLength === exported.bytes && progress.at(-1).receivedBytes === exported.bytes
  return {
    projects: items.map(project => project.name),
    columns: columns.map(column => column.name),
    sum,
    whole,
    fileName,
    rows: table.numRows,
    last: table.getChild('name').get(69_999),
    values: [table.getChild('cost').get(69_999), table.getChild('day').get(69_999)],
    refused,
    stranger,
    silent,
    stopped,
  }
}

window.seen = await use().catch(error => ({ error: String(error), stack: error.stack, cause: String(error.cause) }))
