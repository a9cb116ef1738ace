import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance } from '@duckdb/node-api'
import { scriptArguments } from '../../test/script.js'
import { catalogue } from '../../test/service/catalogue.js'

/** The simplest server: the engine in the server's process, with a memory limit and an interrupt at the deadline. */
const budgetMs = Number(scriptArguments(import.meta.url, 'MILLISECONDS')[0])
const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
const connection = await instance.connect()
for (const relation of catalogue.relations.values())
  if (relation.kind === 'fold' && relation.reads.length === 0)
    await connection.run(`CREATE TABLE ${relation.name} AS ${relation.sql}`)
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const own = await instance.connect()
  const deadline = setInterval(() => own.interrupt(), budgetMs)
  try {
    const result = await own.runAndReadUntil(Buffer.concat(chunks).toString(), 501)
    response.end(JSON.stringify(result.getRowsJson()))
  } catch (cause) {
    response.writeHead(422).end(String(cause).slice(0, 80))
  } finally {
    clearInterval(deadline)
    own.disconnectSync()
  }
})
server.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)
