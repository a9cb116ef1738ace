import { type Client, type ClientOptions, createClient } from 'foldgate/client'
import { ScriptedService } from './scripted.js'

/** A scripted service, and clients of it whose waits end at once. */
export interface Trouble {
  service: ScriptedService
  /** The delays that the clients would have waited for in this test. */
  waitsMs: number[]
  clientOf(options?: Partial<ClientOptions>): Client
}

/** Sets both up for one suite. */
export function trouble(): Trouble {
  const service = new ScriptedService()
  const waitsMs: number[] = []
  const clients: Client[] = []
  before(() => service.open())
  beforeEach(() => {
    waitsMs.length = 0
  })
  after(() => {
    for (const client of clients) client.close()
    service.close()
  })
  return {
    service,
    waitsMs,
    clientOf(options = {}) {
      const wait = async (ms: number) => void waitsMs.push(ms)
      const retry = options.retry === false ? false : { wait, random: () => 0.5, ...options.retry }
      const client = createClient({ url: service.url, key: 'k', ...options, retry })
      clients.push(client)
      return client
    },
  }
}
