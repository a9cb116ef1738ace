import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance } from '@duckdb/node-api'
import { attachBuilt } from '../assessed.js'

/** `node:http` with DuckDB in the same process: no key, no guard, no limits. */
const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
const connections = await Promise.all(Array.from({ length: 8 }, () => instance.connect()))
const [first] = connections
if (!first) throw new Error('there is no connection')
await attachBuilt(first, process.argv[2] ?? '')
const path = (await first.runAndReadAll("SELECT current_setting('search_path')")).getRows()[0]?.[0]
for (const connection of connections) await connection.run(`SET search_path = '${path}'`)
let next = 0
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { sql } = JSON.parse(Buffer.concat(chunks).toString()) as { sql: string }
  const connection = connections[next++ % connections.length] ?? first
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  const answer = Buffer.from(JSON.stringify({ result: { items: rows } }))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
