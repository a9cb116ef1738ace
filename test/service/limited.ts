import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CallerLimits } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'
import { AT_EVERY_ENTRY, type Ended, type Entries, openEntries } from './entries.js'
import { type Service, type ServiceOptions, startService } from './service.js'

/** A service on all entry points, with keys of the owner of `KEYS.north` that have limits. */
export interface LimitedService {
  service: Service
  entries: Entries
  /** Makes a key with these limits. */
  limited(only: CallerLimits): string
  // biome-ignore lint/suspicious/noExplicitAny: documents of several kinds
  get(path: string, key: string): Promise<{ status: number; body: any }>
  /** Calls at REST and other entry points, see {@link AT_EVERY_ENTRY}; fails unless all end alike. Returns how they ended. */
  everywhere(method: string, params: unknown, key: string): Promise<Ended>
  close(): Promise<void>
}

/** Starts a service with limited keys. */
export async function startLimited(options: ServiceOptions = {}): Promise<LimitedService> {
  const service = await startService({ mcp: mcpEndpoint(), ...options })
  const entries = openEntries(service)
  const { REST, ...further } = entries.enter
  let turn = 0
  return {
    service,
    entries,
    limited(only) {
      const key = `key-${randomUUID()}`
      service.host.callers.set(key, { keyId: key, ownerId: 'ada', organizations: ['north'], only })
      return key
    },
    async get(path, key) {
      const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
      return { status: response.status, body: await response.json().catch(() => null) }
    },
    async everywhere(method, params, key) {
      // An entry point that has no such tool compares nothing, so the next one takes its turn.
      const all = Object.entries(further)
      const inTurn = [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)]
      const some = AT_EVERY_ENTRY ? all : inTurn.slice(0, 2)
      turn += 1
      const ended = [['REST', REST] as const, ...some].map(async ([name, enter]) => ({
        name,
        ended: await enter(method, params, key),
      }))
      const [first, ...others] = await Promise.all(ended)
      assert.ok(first)
      const told = ({ outcome, message }: Ended) => [outcome, message.replaceAll('projects_', 'projects/')]
      for (const { name, ended } of others)
        if (ended.outcome !== 'NO_TOOL') assert.deepEqual([name, ...told(ended)], [name, ...told(first.ended)])
      return first.ended
    },
    async close() {
      await entries.close()
      await service.close()
    },
  }
}

/** Anything with a name. */
export interface Named {
  name: string
}

export const nameOf = ({ name }: Named): string => name
export const idOf = ({ projectId }: { projectId: string }): string => projectId
