import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '#server/database/store.js'
import { createKey, revokeKey } from '#server/store/keys.js'
import { PROJECT_IDS, writeTables } from '../../server/package.js'
import { call } from '../../server/server.js'
import { readParquetRows } from '../../types/arrow.js'
import type { Service } from './service.js'

/** One run of the work of a kind of caller; throws for a wrong answer. */
export type Work = () => Promise<void>

const { early, late } = PROJECT_IDS
const OWNER = { user: 'ada@example.org', organizations: ['north', 'south'] }
const ROWS = 750
const SQL = `SELECT i, i * i AS square, entity_key FROM range(${ROWS}) r(i), entities WHERE entity_key = 'plant' ORDER BY i`
const EXPECTED = Array.from({ length: ROWS }, (_, i) => ({ i, square: i * i, entity_key: 'plant' }))

/** Reads a result page by page, each page from the next server. */
export function pages(service: Service, key: string): Work {
  return async () => {
    const rows: Record<string, unknown>[] = []
    let cursor: string | undefined
    do {
      const page = { limit: 100, ...(cursor === undefined ? {} : { cursor }) }
      const answer = await service.call(key, 'query', { projectId: late, sql: SQL, page })
      assert.equal(answer.status, 200, answer.class)
      rows.push(...answer.items)
      cursor = answer.next
    } while (cursor !== undefined)
    assert.deepEqual(rows, EXPECTED)
  }
}

/** Exports on one server and downloads from another; a stranger's key cannot download the file. */
export function exports(service: Service, key: string, stranger: string): Work {
  return async () => {
    const { status, link } = await service.call(key, 'export', { projectId: late, sql: SQL })
    assert.ok(status === 200 && link)
    assert.equal((await service.download(stranger, link)).status, 404)
    const file = await service.download(key, link)
    assert.equal(file.status, 200)
    assert.deepEqual(readParquetRows(file.bytes), EXPECTED)
  }
}

/** Servers hear of a revocation within this time. */
const HEARD_WITHIN_MS = 100

/** Creates a key, which every server accepts at once, and revokes it, after which no server accepts it for long. */
export function keys(service: Service, store: Store): Work {
  return async () => {
    const { id, key } = await createKey(store, OWNER)
    for (let time = 0; time < 3; time++) assert.equal((await service.call(key, 'list')).items.length, 4)
    await revokeKey(store, id)
    const revokedAt = performance.now()
    for (const url of service.urls) {
      let began: number
      let status: number
      do {
        began = performance.now()
        status = await call(url, key, 'list').then(
          answer => answer.status,
          () => 503, // from the killed server
        )
      } while (status === 200 && began - revokedAt < HEARD_WITHIN_MS)
      assert.ok(status === 401 || status === 503, `${status}`)
    }
  }
}

/** `seal` seals a snapshot with one more site and prunes older ones; `read` checks the number of sites. */
export async function seals(service: Service, folder: string, key: string): Promise<{ seal: Work; read: Work }> {
  const tables = join(folder, 'tables')
  await writeTables(tables)
  const [header] = (await readFile(join(tables, 'sites.csv'), 'utf8')).split('\n')
  let begun = 1
  let sealed = 1
  return {
    async seal() {
      begun += 1
      const sites = Array.from({ length: begun }, (_, at) => `s${at},plant,,,,,,,,,`)
      await writeFile(join(tables, 'sites.csv'), `${[header, ...sites].join('\n')}\n`)
      const assessment = await service.command('assessment', 'start', early)
      await service.command('snapshot', 'seal', assessment, tables)
      sealed = begun
      await service.command('assessment', 'complete', assessment)
      await service.command('snapshot', 'prune', early)
    },
    async read() {
      const least = sealed
      const answer = await service.call(key, 'query', { projectId: early, sql: 'SELECT count(*) AS sites FROM sites' })
      const sites = Number(answer.items[0]?.sites)
      assert.ok(answer.status === 200 && sites >= least && sites <= begun, `${answer.class} ${sites} of ${least}`)
    },
  }
}
