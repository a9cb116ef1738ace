import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import Koa from 'koa'
import { attachBuilt } from '../assessed.js'
import { MIX_RELATIONS } from './mix.js'

/** One engine in this process, with a schema and a connection per tenant, and a route that runs any statement. */
export async function openBare(folder: string, cache: string, threads: number) {
  const instance = await DuckDBInstance.create(join(folder, 'bare.duckdb'), { threads: String(threads) })
  const connections = new Map<string, DuckDBConnection>()
  for (const projectId of await readdir(cache)) {
    const connection = await instance.connect()
    const aliases = await attachBuilt(connection, join(cache, projectId))
    const schema = `bare."${projectId}"`
    await connection.run(`CREATE SCHEMA ${schema}`)
    for (const relation of MIX_RELATIONS) await connection.run(`CREATE TABLE ${schema}.${relation} AS FROM ${relation}`)
    await connection.run(`SET search_path = '${schema}'`)
    for (const alias of aliases) await connection.run(`DETACH ${alias}`)
    connections.set(projectId, connection)
  }
  const app = new Koa()
  app.use(async context => {
    const chunks: Buffer[] = []
    for await (const chunk of context.req) chunks.push(chunk)
    const { projectId, sql } = JSON.parse(Buffer.concat(chunks).toString())
    const read = await (connections.get(projectId) as DuckDBConnection).runAndReadUntil(sql, ROWS)
    context.type = 'json'
    context.body = JSON.stringify({ result: { items: read.getRowObjectsJson().slice(0, ROWS) } })
  })
  return { listener: app.callback(), instance, close: () => instance.closeSync() }
}

/** The default page limit of Foldgate. */
const ROWS = 100
