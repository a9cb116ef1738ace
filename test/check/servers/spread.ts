import assert from 'node:assert/strict'
import { request as overHttp, Agent as PlainAgent } from 'node:http'
import { Agent, request as overHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Customer } from './customers.js'
import type { RunningProxy } from './proxies/proxy.js'
import type { Service } from './service.js'

/** What servers have built since they started. */
export interface Built {
  builds: number
  cacheBytes: number
}

/** The builds of these servers, by their metrics. */
export async function builtBy(service: Service, servers: readonly string[]): Promise<Built> {
  const built = { builds: 0, cacheBytes: 0 }
  for (const server of servers) {
    const samples = await service.metricsOf(server)
    built.builds += samples.get('foldgate_builds_total{outcome="OK"}') ?? 0
    built.cacheBytes += samples.get('foldgate_cache_bytes') ?? 0
  }
  return built
}

/** The projects that a server has answered queries of since it started. */
export function projectsOf(service: Service, server: string): Set<string> {
  const lines = service.logOf(server).trim().split('\n')
  const calls = lines.map(line => JSON.parse(line) as { type: string; method?: string; projectId?: string })
  return new Set(calls.flatMap(({ type, projectId }) => (type === 'call' && projectId ? [projectId] : [])))
}

/**
 * Queries a fold of every project a number of times, in turns, through a proxy, with a number of clients that each keep
 * a connection. Returns the milliseconds of each call; fails if one is not answered with rows.
 */
export async function query(
  { url, ca }: RunningProxy,
  customers: readonly Customer[],
  { times, clients }: { times: number; clients: number },
): Promise<number[]> {
  const calls = Array.from({ length: times }, () => shuffled(customers))
    .flat()
    .entries()
  const took: number[] = []
  const work = async () => {
    const options = { keepAlive: true, maxSockets: 1 }
    const agent = ca === undefined ? new PlainAgent(options) : new Agent({ ...options, ca })
    for (const [number, { key, projectId }] of calls) {
      const startedAt = performance.now()
      const sql = `SELECT count(*) AS n FROM fold_pressures -- ${number}`
      const body = JSON.stringify({ projectId, sql })
      const { status, answer } = await post(`${url}/public/v1/api/projects/query`, key, body, agent)
      assert.equal(status, 200, answer)
      took.push(performance.now() - startedAt)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, work))
  return took
}

function post(url: string, key: string, body: string, agent: PlainAgent) {
  return new Promise<{ status: number | undefined; answer: string }>((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { authorization: `Bearer ${key}` } }
    const request = agent instanceof Agent ? overHttps(url, options) : overHttp(url, options)
    request.on('error', reject)
    request.on('response', response => {
      text(response).then(answer => resolve({ status: response.statusCode, answer }), reject)
    })
    request.end(body)
  })
}

/** A different order in each run would make figures differ: the seed is fixed. */
let seed = 1
function shuffled<Value>(values: readonly Value[]): Value[] {
  const result = [...values]
  for (let at = result.length - 1; at > 0; at--) {
    seed = (seed * 48271) % 2147483647
    const other = seed % (at + 1)
    ;[result[at], result[other]] = [result[other] as Value, result[at] as Value]
  }
  return result
}
