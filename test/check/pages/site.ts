import { scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Koa from 'koa'
import Router from 'koa-router'
import catalogue from '#assessed/catalogue.js'
import { openStore, type Store } from '#server/database/store.js'
import { additions } from '#server/input/installed.js'
import type { KnownNames } from '#server/input/key-limits.js'
import { addPages } from '#server/pages/index.js'
import type { PageLimits } from '#server/pages/page-limits.js'
import type { PageAddition } from '#server/pages/routing.js'
import { startServer } from '#server/serving/start.js'
import { readConfig } from '#server/settings/config.js'
import { type ServerWords, wordsOf } from '#server/settings/words.js'
import { openDataFolder } from '#server/snapshots/data-folder.js'
import { addOrganization } from '#server/store/organizations.js'
import { addProject } from '#server/store/projects.js'
import { usagePort } from '#server/store/usage.js'
import { addUser, listUsers } from '#server/store/users.js'
import { isEmbedded, storeAt } from '../../server/stores.js'
import { used } from '../../server/used.js'
import { Visitor } from './visitor.js'

/** The user who logs in on the pages of {@link startSite} and {@link startPages}. */
export const ADA = { email: 'ada@example.org', password: 'correct horse' }

/** A server with pages, and its store. */
export interface Site {
  url: string
  store: Store
  close(): Promise<void>
}

/** Starts a complete server with these options of serve, whose user Ada can read `north` and `south`, one project each, but not `west`. */
export async function startSite(folder: string, limits: Record<string, string> = {}): Promise<Site> {
  const data = join(folder, 'data')
  const location = await storeAt((await openDataFolder(data)).control)
  const store = await openStore(location)
  await fill(store)
  const elsewhere = isEmbedded ? {} : { store: location }
  const server = await startServer(readConfig({ data, port: '0', ...elsewhere }, {}, { connections: 1, ...limits }))
  return {
    url: server.url,
    store,
    async close() {
      await server.close()
      await store.close()
    },
  }
}

/** Starts only the pages, with the same users, on a store with this clock. */
export async function startPages(
  file: string,
  now: () => number,
  options: {
    baseUrl?: string
    proxies?: number
    limits?: Partial<PageLimits>
    words?: ServerWords
    known?: KnownNames
  } = {},
): Promise<Site> {
  const store = await openStore(await storeAt(file), { clock: { now } })
  await fill(store)
  let answer: RequestListener = () => {}
  const server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const router = new Router()
  const added = await additions<PageAddition>()
  addPages(router, { store, baseUrl: url, proxies: 0, words: wordsOf(catalogue), added, ...options })
  const app = new Koa().use(router.routes()).use(router.allowedMethods())
  app.on('error', (error, context?: Koa.Context) => {
    if (!context?.req.socket.destroyed) console.error(error)
  })
  answer = app.callback()
  return {
    url,
    store,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await store.close()
    },
  }
}

async function fill(store: Store): Promise<void> {
  if ((await listUsers(store)).length > 0) return
  const names = { north: 'The “North” & <b>Sons</b>', south: 'The South', west: 'The West' }
  for (const [key, name] of Object.entries(names)) {
    await addOrganization(store, { key, name })
    await addProject(store, { organization: key, name: `Project of ${key}` })
  }
  await addUser(store, { email: ADA.email, organizations: ['north', 'south'] })
  const password_hash = cheapHash(ADA.password)
  await store.db.updateTable('users').set({ password_hash }).where('email', '=', ADA.email).execute()
}

/** Adds a user to a site, and logs them in. */
export async function enterAs(site: Site, name: string, ...organizations: string[]): Promise<Visitor> {
  const [email, password] = [`${name}@example.org`, `the password of ${name}`]
  await addUser(site.store, { email, organizations })
  const password_hash = cheapHash(password)
  await site.store.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute()
  return new Visitor(site.url).enter({ email, password })
}

/** A password hash in the format of the store, but cheap to verify. */
export function cheapHash(password: string): string {
  const salt = Buffer.alloc(16)
  const hash = scryptSync(password, salt, 32, { N: 2, r: 8, p: 1 })
  return `scrypt$2$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Writes usage records to the store. */
export async function recordUsage(store: Store, records: readonly Parameters<typeof used>[0][]): Promise<void> {
  const usage = usagePort(store, (_what, cause) => {
    throw cause
  })
  for (const record of records) usage.record(used({ organization: null, rows: 0, bytes: 0, ...record }))
  await usage.close()
}
