import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import * as library from 'foldgate'
import {
  type AnalyticsApi,
  type AnalyticsEvent,
  type AnalyticsOptions,
  type Catalogue,
  type DirectorySnapshots,
  directoryExports,
  directorySnapshots,
  type UsageRecord,
} from 'foldgate'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { bareMount, type Mount } from './mount.js'
import { TestClock, TestHost } from './ports.js'
import { publishPackage } from './sealed.js'
import { VENDOR } from './vendors.js'

export { ENTITIES, PACKAGE } from './group.js'

/** Ids of the service's three projects. */
export const PROJECT = '11111111-1111-4111-8111-111111111111'
export const OTHER_PROJECT = '22222222-2222-4222-8222-222222222222'
export const FOREIGN_PROJECT = '33333333-3333-4333-8333-333333333333'
/** `north` reads north's projects, `mate` is another key of its owner, `south` reads south's, `none` reads nothing. */
export const KEYS = { north: 'key-north', mate: 'key-mate', south: 'key-south', none: 'key-none' }

/** A REST answer, with every member that some method or failure has. */
export interface Answer {
  status: number
  headers: Headers
  body: {
    code?: number
    class?: string
    message?: string
    data?: Record<string, unknown>
    result?: {
      items?: Record<string, unknown>[]
      nextCursor?: string
      relations?: { name: string; kind: string; about?: string }[]
      examples?: { question: string; sql: string }[]
      columns?: { name: string; type: string }[]
      url?: string
      expiresAt?: string
      rows?: number
      bytes?: number
    }
    warnings?: { path: string; message: string }[]
  }
}

/** A service on a real socket, whose clock, ports and events the test controls. */
export interface Service {
  url: string
  server: Server
  api: AnalyticsApi
  clock: TestClock
  host: TestHost
  events: AnalyticsEvent[]
  usage: UsageRecord[]
  snapshots: DirectorySnapshots
  folder: string
  /** Posts params to a method; sends no key when `key` is null. */
  call(method: string, params?: unknown, key?: string | null): Promise<Answer>
  /** Seals a package as the newest snapshot of a project; returns the snapshot's id. */
  seal(projectId: string, files?: Record<string, string>): Promise<string>
  close(): Promise<void>
}

/** Library options that tests set. The service provides its own folders and ports by default. */
export type ServiceOptions = Partial<Omit<AnalyticsOptions, 'engine'>> & {
  engine?: Partial<AnalyticsOptions['engine']>
  exportsFolder?: string
  mount?: Mount
  /** Whose tables are sealed. Default: the catalogue; another one when a test needs folds that no sealer accepts. */
  sealedAs?: Catalogue
  /** What is sealed unless a test says otherwise. Default: the package of {@link VENDOR}. */
  files?: Readonly<Record<string, string>>
  /** The library that serves. Default: the one that the tests import. */
  library?: Pick<typeof library, 'createAnalyticsApi' | 'duckdbEngine'>
}

/** Starts a service with three projects of two organizations, the first two sealed. */
export async function startService({
  exportsFolder,
  mount = bareMount,
  catalogue = VENDOR.catalogue,
  sealedAs = catalogue,
  files: sealed = VENDOR.files,
  library: { createAnalyticsApi, duckdbEngine } = library,
  ...options
}: ServiceOptions = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  const clock = new TestClock()
  const host = new TestHost()
  const events: AnalyticsEvent[] = []
  const usage: UsageRecord[] = []
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const exports = directoryExports(exportsFolder ?? join(folder, 'exports'), { retentionMs: 86_400_000, clock })
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mount.prefix}`
  const api = createAnalyticsApi({
    baseUrl: url,
    secrets: ['a secret of the tests, long enough to seal'],
    catalogue,
    keys: host.keyPort,
    projects: host.projectPort,
    snapshots,
    exports,
    usage: { record: record => void usage.push(record) },
    clock,
    quota: { take: async () => ({ allowed: true, limit: 600, remaining: 599, windowMs: 60_000, resetMs: 60_000 }) },
    onEvent: event => void events.push(event),
    ...options,
    engine: duckdbEngine({
      connections: 2,
      spares: 1, // each start takes time from the test
      folder: join(folder, 'engine'),
      guard: { functions: [...EXTRA_FUNCTIONS] }, // so that what hosts may add is tested like the rest
      ...options.engine,
    }),
  })
  const mounted = await mount.host(api)
  server.on('request', mounted.request)
  if (mounted.upgrade) server.on('upgrade', mounted.upgrade)

  const seal: Service['seal'] = (projectId, files = sealed) =>
    publishPackage({ catalogue: sealedAs, files }, projectId, snapshots)

  addPeople(host)
  host.addProject({ projectId: PROJECT, completed: true })
  host.addProject({ projectId: OTHER_PROJECT, completed: true })
  host.addProject({ projectId: FOREIGN_PROJECT, organization: 'south', completed: true })
  await Promise.all([PROJECT, OTHER_PROJECT].map(projectId => seal(projectId)))
  await api.ready()
  while (api.stats().ready < api.stats().connections) await setImmediate() // ready() waits for one worker only
  return {
    url,
    server,
    api,
    clock,
    host,
    events,
    usage,
    snapshots,
    folder,
    call: (method, params, key = KEYS.north) => post(`${url}/public/v1/api/${method}`, params, key),
    seal,
    async close() {
      await mounted.close?.()
      await api.close()
      exports.close()
      await closeServer(server)
      await rm(folder, { recursive: true, force: true })
      const recycled = events.filter(event => 'reason' in event && event.reason === 'memory-kept')
      assert.deepEqual(recycled, [], 'an engine process was replaced although nothing failed')
    },
  }
}

let shared: Promise<Service> | undefined

/** The service shared by all tests that do not change it. */
export function sharedService(): Promise<Service> {
  shared ??= startService()
  return shared
}

/** Closes the service that {@link sharedService} started. */
export async function closeSharedService(): Promise<void> {
  await (await shared)?.close()
}

async function post(url: string, params: unknown, key: string | null): Promise<Answer> {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  const body = params === undefined ? null : JSON.stringify(params)
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
}

function addPeople(host: TestHost): void {
  host.callers.set(KEYS.north, { keyId: 'k-north', ownerId: 'ada', organizations: ['north'] })
  host.callers.set(KEYS.mate, { keyId: 'k-mate', ownerId: 'ada', organizations: ['north'] })
  host.callers.set(KEYS.south, { keyId: 'k-south', ownerId: 'bob', organizations: ['south'] })
  host.callers.set(KEYS.none, { keyId: 'k-none', ownerId: 'eve', organizations: [] })
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
}
