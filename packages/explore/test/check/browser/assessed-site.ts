import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeMadeUpPackage } from '#assessed/made-up/package.js'
import { openStore } from '#server/database/store.js'
import { startServer } from '#server/serving/start.js'
import { readConfig } from '#server/settings/config.js'
import { openDataFolder } from '#server/snapshots/data-folder.js'
import { createKey } from '#server/store/keys.js'
import { listOrganizations } from '#server/store/organizations.js'
import { addUser } from '#server/store/users.js'
import { importPackage } from '#transfer/import/import-package.js'
import { ADA, cheapHash, type Site } from '../pages/site.js'

/** A site whose projects are computed, and a source of keys for it. */
export interface AssessedSite extends Site {
  /** A new key that reads every project. */
  key(): Promise<string>
}

/** Starts a complete server with the fictional companies. Ada can read all of them. `limits` are those of serve. */
export async function startAssessedSite(limits: Record<string, string> = {}): Promise<AssessedSite> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  const data = join(folder, 'data')
  const opened = await openDataFolder(data)
  const store = await openStore(opened.control)
  await writeMadeUpPackage(join(folder, 'made-up'))
  await importPackage(store, { data: opened }, join(folder, 'made-up'))
  const organizations = (await listOrganizations(store)).map(({ key }) => key)
  await addUser(store, { email: ADA.email, organizations })
  const password_hash = cheapHash(ADA.password)
  await store.db.updateTable('users').set({ password_hash }).where('email', '=', ADA.email).execute()
  const server = await startServer(readConfig({ data, port: '0' }, {}, { connections: 2, ...limits }))
  return {
    url: server.url,
    store,
    key: async () => (await createKey(store, { user: ADA.email, organizations, name: randomUUID() })).key,
    async close() {
      await server.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
