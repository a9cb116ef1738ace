import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApi, createHost, PROJECT } from '../../../examples/node-http.js'
import { sealTables } from '../../../examples/seal.js'

/** Sorts more than the memory of a worker, which ends after it. */
const OUT_OF_MEMORY =
  'SELECT list(x ORDER BY x) AS xs FROM (SELECT repeat(md5(range::VARCHAR), 100) AS x FROM range(10000000))'

/** A host that runtimes.test.ts runs under each runtime: it calls itself, prints the answers as JSON, and closes. */
const { manifest } = await sealTables('data', PROJECT, 'tables')
const secret = 'a secret that is long enough for it'
const api = createApi({ baseUrl: 'http://127.0.0.1/analytics', folder: 'data', secret, key: 'a-key' })
const server = createHost(api).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

async function call(method: string, params: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/analytics/public/v1/api/projects/${method}`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-key' },
    body: JSON.stringify(params),
  })
  const { result, class: failure } = (await response.json()) as { result?: { items: unknown }; class?: string }
  return failure ?? result?.items
}
const query = (sql: string) => call('query', { projectId: PROJECT, sql })

const printed = {
  sealed: manifest.tables.map(({ name, rows }) => [name, rows]),
  list: await call('list', {}),
  query: await query('SELECT city, km FROM city_trips'),
  refused: await query('SELECT 1 +'),
  tooLarge: await query(OUT_OF_MEMORY),
  afterwards: await query('SELECT sum(km) AS km FROM trips'),
  health: await api.health(),
}
await api.close()
server.close()
console.log(JSON.stringify(printed))
