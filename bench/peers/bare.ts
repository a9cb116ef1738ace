import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api'
import { scriptArguments } from '../../test/script.js'
import { attachBuilt } from '../assessed.js'

/**
 * `node:http` with DuckDB in the same process: no key, no guard, no limits. Statements with parameters stay prepared.
 * Answers at most eight requests at once.
 */
const [built] = scriptArguments(import.meta.url, 'FILE')
const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
const connections = await Promise.all(Array.from({ length: 8 }, () => instance.connect()))
const [first] = connections
if (!first) throw new Error('there is no connection')
await attachBuilt(first, built)
const path = (await first.runAndReadAll("SELECT current_setting('search_path')")).getRows()[0]?.[0]
for (const connection of connections) await connection.run(`SET search_path = '${path}'`)

/** Connections without a request, each with its prepared statements. */
const idle = connections.map(connection => ({ connection, prepared: new Map<string, DuckDBPreparedStatement>() }))

async function rowsOf(sql: string, parameters?: Record<string, number>) {
  const own = idle.pop()
  if (!own) throw new Error('there are more requests than connections')
  const { connection, prepared } = own
  try {
    if (!parameters) return (await connection.runAndReadAll(sql)).getRowObjectsJson()
    const statement = prepared.get(sql) ?? (await connection.prepare(sql))
    prepared.set(sql, statement)
    for (const [name, value] of Object.entries(parameters)) statement.bindInteger(statement.parameterIndex(name), value)
    return (await statement.runAndReadAll()).getRowObjectsJson()
  } finally {
    idle.push(own)
  }
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as { sql: string; parameters?: Record<string, number> }
  const rows = await rowsOf(asked.sql, asked.parameters)
  const answer = Buffer.from(JSON.stringify({ result: { items: rows } }))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
