import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { catalogue } from '../../service/catalogue.js'
import { ENTITIES, KEYS, PACKAGE, PROJECT, type Service, startService } from '../../service/service.js'
import { SmallDisk } from './disk.js'

const TOTALS = 'FROM fold_totals ORDER BY item'
/** About 30 MB as rows, 12 MB as a file. */
const WIDE = 'SELECT md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b FROM range(400000) t(i)'
/** Sorts more than fits in memory. */
const SPILLS =
  'SELECT max(n) AS n FROM (SELECT row_number() OVER (ORDER BY md5(i::VARCHAR)) AS n FROM range(9000000) t(i))'

describe('a full disk', () => {
  let engineDisk: SmallDisk
  let exportDisk: SmallDisk
  let service: Service
  before(async function () {
    const disks = [SmallDisk.mount(256), SmallDisk.mount(32)] as const
    if (!disks[0] || !disks[1]) {
      process.stdout.write('    left out: this user may not mount a small disk\n')
      return this.skip()
    }
    engineDisk = disks[0]
    exportDisk = disks[1]
    service = await startService({
      engine: { connections: 1, folder: join(engineDisk.folder, 'engine'), memoryLimitBytes: 512 * 1024 ** 2 },
      exportsFolder: exportDisk.folder,
    })
  })
  after(async () => {
    await service?.close()
    await engineDisk?.unmount()
    await exportDisk?.unmount()
  })

  const ask = async (method: 'query' | 'export', params: { sql: string; entityId?: string; page?: object }) =>
    service.call(`projects/${method}`, { projectId: PROJECT, ...params })
  const small = async () => {
    const { body } = await ask('query', { sql: `SELECT 1 AS one -- ${randomUUID()}` })
    assert.deepEqual(body.result?.items, [{ one: 1 }], body.message)
  }

  /** Parquet files in the folder of the engine, but for the tables in its cache. */
  const exportedFiles = async () =>
    (await parquetFiles(engineDisk.folder)).filter(name => !name.startsWith('engine/cache/'))

  it('for relations: UNAVAILABLE, and built once there is room', async () => {
    await engineDisk.fill(64)
    const refused = await ask('query', { sql: TOTALS })
    assert.deepEqual([refused.status, refused.body.class], [503, 'UNAVAILABLE'])
    await small()
    await engineDisk.empty()
    const answered = await ask('query', { sql: TOTALS })
    assert.equal(answered.status, 200, answered.body.message)
    assert.equal(answered.body.result?.items?.length, 2)
  })

  it('for a query that spills: UNAVAILABLE or QUERY_TOO_LARGE, and answered once there is room', async () => {
    await engineDisk.fill(8 * 1024)
    const refused = await ask('query', { sql: SPILLS })
    assert.ok(['UNAVAILABLE', 'QUERY_TOO_LARGE'].includes(refused.body.class ?? ''), JSON.stringify(refused.body))
    await small()
    await engineDisk.empty()
    await small()
  }).timeout(60_000)

  it('in the scratch folder of an export: UNAVAILABLE, no file left, and exported once there is room', async () => {
    await engineDisk.fill(2 * 1024)
    const refused = await ask('export', { sql: WIDE })
    assert.deepEqual([refused.status, refused.body.class], [503, 'UNAVAILABLE'], JSON.stringify(refused.body))
    const told = service.events.findLast(event => event.type === 'dependency')
    assert.equal(told?.port, 'engine')
    assert.match(String(told?.cause), /No space left/)
    await small()
    await engineDisk.empty()
    assert.deepEqual(await exportedFiles(), [])
    assert.equal((await ask('export', { sql: WIDE })).body.result?.rows, 400_000)
  })

  it('in the storage of exports: UNAVAILABLE, no file left, and exported once there is room', async () => {
    const kept = await readdir(exportDisk.folder)
    await exportDisk.fill(1024)
    const refused = await ask('export', { sql: WIDE })
    assert.deepEqual([refused.status, refused.body.class], [503, 'UNAVAILABLE'])
    await exportDisk.empty()
    assert.deepEqual(await readdir(exportDisk.folder), kept)
    assert.deepEqual(await exportedFiles(), [])
    const url = (await ask('export', { sql: 'SELECT 42 AS answer' })).body.result?.url ?? ''
    const file = await fetch(url, { headers: { authorization: `Bearer ${KEYS.north}` } })
    assert.equal(
      Buffer.from(await file.arrayBuffer())
        .subarray(0, 4)
        .toString(),
      'PAR1',
    )
  })

  it('for stored results: every page is still right', async () => {
    const sql = 'SELECT i, md5(i::VARCHAR) AS m FROM range(30000) t(i) ORDER BY i'
    await engineDisk.fill(256)
    let cursor: string | undefined
    let read = 0
    do {
      const { body } = await ask('query', { sql, page: { limit: 500, ...(cursor ? { cursor } : {}) } })
      assert.ok(body.result?.items, body.message)
      for (const row of body.result.items) assert.equal(row.i, read++)
      cursor = body.result.nextCursor
    } while (cursor)
    assert.equal(read, 30_000)
    await engineDisk.empty()
  })

  it('for a snapshot: nothing is sealed, no file is left, and it is sealed once there is room', async () => {
    const source = join(service.folder, 'package')
    await mkdir(source)
    const rows = Array.from({ length: 60_000 }, (_, index) => `leaf,item ${index} ${randomUUID()},${index}`).join('\n')
    for (const [name, text] of Object.entries({ ...PACKAGE, 'amounts.csv': `${PACKAGE['amounts.csv']}${rows}\n` }))
      await writeFile(join(source, name), text)
    const snapshots = directorySnapshots(join(exportDisk.folder, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(service.folder, 'sealing') })
    const seal = () => sealer.seal({ projectId: PROJECT, assessmentId: 'full', tables: fromFolder(source) })
    try {
      await exportDisk.fill(256)
      await assert.rejects(seal())
      assert.deepEqual(await snapshots.manifests(PROJECT), [])
      await exportDisk.empty()
      assert.deepEqual(await parquetFiles(join(exportDisk.folder, 'snapshots')), [])
      const { manifest } = await seal()
      assert.deepEqual(await snapshots.manifests(PROJECT), [manifest])
      assert.ok(manifest.rootId === ENTITIES.group)
    } finally {
      await sealer.close()
    }
  })
})

/** Parquet files in a folder, at any depth. */
async function parquetFiles(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.parquet'))
}
