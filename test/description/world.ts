import { KEYS, PROJECT, type Service, type ServiceOptions, sharedService, startService } from '../service/service.js'
import { BARE_PROJECT, type Case, type Mood } from './cases.js'
import {
  type Check,
  checks,
  headerFaults,
  type OpenApi,
  type OpenRpc,
  type Operation,
  type Schema,
} from './document.js'

/** The services that cases run on, and the documents that must describe their answers. */
export interface World {
  openapi: OpenApi
  openrpc: OpenRpc
  fitsRest: (schema: Schema) => Check
  fitsRpc: (schema: Schema) => Check
  headerFaults(response: Operation['responses'][string], headers: Headers): string[]
  /** The service with short timeouts and a small limit for exports. */
  hasty: Service
  /** Calls `run` with the service of a case, whose host is in the mood of the case meanwhile. */
  during<Value>(given: Pick<Case, 'mood' | 'patient'>, run: (service: Service) => Promise<Value>): Promise<Value>
  close(): Promise<void>
}

/** Starts the services of the cases. */
export async function startWorld(): Promise<World> {
  let spent = false
  const quota: NonNullable<ServiceOptions['quota']> = {
    take: async () => ({ allowed: !spent, limit: 600, remaining: spent ? 0 : 599, windowMs: 60_000, resetMs: 30_500 }),
  }
  const limits = { queryTimeoutMs: 800, exportTimeoutMs: 800, exportBytes: 3000 }
  const [hasty, patient] = await Promise.all([startService({ quota, limits }), sharedService()])
  hasty.host.addProject({ projectId: BARE_PROJECT })
  const read = async (name: string) => (await fetch(`${hasty.url}/public/v1/${name}`)).json()
  const openapi = (await read('openapi.json')) as OpenApi
  const openrpc = (await read('openrpc.json')) as OpenRpc
  const fitsRest = checks(openapi)
  return {
    openapi,
    openrpc,
    fitsRest,
    fitsRpc: checks(openrpc),
    headerFaults: (response, headers) => headerFaults(openapi, fitsRest, response, headers),
    hasty,
    async during({ mood = 'well', patient: wanted }, run) {
      spent = mood === 'quota spent'
      const service = wanted ? patient : hasty
      const restore = upset(service, mood)
      try {
        return await run(service)
      } finally {
        restore()
        spent = false
      }
    },
    close: () => hasty.close(),
  }
}

/** Request headers with a key, or without one if `key` is null. */
export function headersOf(key: string | null = KEYS.north): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

/** Puts a host into a mood; returns a function that undoes it. */
function upset({ host }: Service, mood: Mood): () => void {
  const { keyPort, projectPort } = host
  const known = { authenticate: keyPort.authenticate, find: projectPort.find, list: projectPort.list }
  const down = async () => Promise.reject(new Error('down'))
  if (mood === 'keys down') keyPort.authenticate = down
  if (mood === 'projects down') Object.assign(projectPort, { find: down, list: down })
  if (mood === 'at fault') Object.assign(projectPort, { find: async () => broken(), list: async () => [broken()] })
  return () => {
    keyPort.authenticate = known.authenticate
    Object.assign(projectPort, { find: known.find, list: known.list })
  }
}

/** A project whose getters throw, which the library does not expect. */
function broken() {
  const fail = () => {
    throw new Error('a fault of the host')
  }
  const fields = { name: { get: fail }, organization: { get: fail } }
  return Object.defineProperties({ projectId: PROJECT, sequence: 1 }, fields)
}
