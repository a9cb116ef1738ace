import { type Client, type ClientOptions, createClient } from 'foldgate/client'
import { ScriptedService } from './scripted.js'

/** A service that says what it is told to, and clients of it that wait in no time. */
export interface Trouble {
  service: ScriptedService
  /** How long the clients would have waited, in this test. */
  waitsMs: number[]
  clientOf(options?: Partial<ClientOptions>): Client
}

/** For the tests of one suite. */
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
