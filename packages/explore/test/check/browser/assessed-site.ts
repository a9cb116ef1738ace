import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importPackage } from '../../../../../packages/transfer/dist/import/import-package.js'
import { writeMadeUpPackage } from '../../../../../server/dist/assessed/made-up/package.js'
import { openStore } from '../../../../../server/dist/database/store.js'
import { startServer } from '../../../../../server/dist/serving/start.js'
import { readConfig } from '../../../../../server/dist/settings/config.js'
import { openDataFolder } from '../../../../../server/dist/snapshots/data-folder.js'
import { createKey } from '../../../../../server/dist/store/keys.js'
import { listOrganizations } from '../../../../../server/dist/store/organizations.js'
import { addUser } from '../../../../../server/dist/store/users.js'
import { ADA, cheapHash, type Site } from '../../../../../test/check/pages/site.js'

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
