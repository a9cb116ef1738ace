// An application that bundlers bundle: it prints the rows of a query over each transport, and why there is no table.
import { createClient } from 'foldgate/client'

const result = { items: [{ n: 1 }] }
const options = { url: 'http://localhost', key: 'a-key', retry: false }
const rest = createClient({ ...options, fetch: async () => Response.json({ result }) })
const jsonRpc = createClient({
  ...options,
  transport: 'json-rpc',
  fetch: async (_, { body }) => Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, result }),
})
for (const client of [rest, jsonRpc]) console.log(JSON.stringify((await client.query({ sql: 'SELECT 1 AS n' })).items))
console.log(await rest.readTable('http://localhost/public/v1/exports/1').catch(({ message }) => message.slice(0, 30)))
