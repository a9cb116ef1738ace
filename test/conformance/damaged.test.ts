import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { manifestPath, tablesOf } from '../stored.js'

let asked = 0
const fresh = () => `SELECT count(*) AS n FROM ${VENDOR.table.name} -- ${++asked}`
const ROWS = [{ n: VENDOR.table.rows }]

describe('a damaged snapshot', () => {
  let service: Service
  let folder: string
  /** Path of the manifest. */
  let place: string
  let sealed: { tables: { name: string; file: string }[]; entities: { file: string; count: number } }
  let manifest: string
  before(async () => {
    service = await startService()
    const newest = await service.seal(PROJECT)
    folder = tablesOf(join(service.folder, 'snapshots'), PROJECT)
    place = manifestPath(join(service.folder, 'snapshots'), PROJECT, newest)
    manifest = await readFile(place, 'utf8')
    sealed = JSON.parse(manifest)
  })
  after(() => service.close())

  const withFile = (file: string) => JSON.stringify({ ...sealed, tables: [{ ...sealed.tables[0], file }] })
  const withEntities = (file: string) => JSON.stringify({ ...sealed, entities: { ...sealed.entities, file } })

  const OF_TREES: [what: string, text: () => string, told: RegExp][] = [
    ['without a root', () => JSON.stringify({ ...sealed, rootId: undefined }), /no rootId/],
    ['with entities above its folder', () => withEntities('../../x'), /outside of its folder for entities/],
    ['with a missing file of entities', () => withEntities('none.ids'), /ENOENT/],
    [
      'with fewer entities than the manifest says',
      () => JSON.stringify({ ...sealed, entities: { ...sealed.entities, count: 400 } }),
      /not as it was sealed/,
    ],
  ]

  for (const [what, text, told] of [
    ['with a manifest that is not JSON', () => '{"formatVersion": 1,', /not a JSON object/],
    ['with an empty manifest', () => '', /not a JSON object/],
    ['with a manifest that is a list', () => '[1]', /no format version/],
    ['with a manifest that is null', () => 'null', /not a JSON object/],
    ['without a format version', () => JSON.stringify({ ...sealed, formatVersion: '1' }), /no format version/],
    ['without tables', () => JSON.stringify({ ...sealed, tables: null }), /no tables/],
    ['with a table that is null', () => JSON.stringify({ ...sealed, tables: [null] }), /no file for tables\[0\]/],
    ['with a file above its folder', () => withFile('../amounts.parquet'), /outside of its folder for tables\[0\]/],
    ['with a file at an absolute path', () => withFile('/etc/passwd'), /outside of its folder/],
    ['with a file in a subfolder', () => withFile('a/b.parquet'), /outside of its folder/],
    ['with a file that is the parent folder', () => withFile('..'), /outside of its folder/],
    ['with a NUL in a file name', () => withFile('a\0.parquet'), /outside of its folder/],
    ...(VENDOR.catalogue.hierarchy ? OF_TREES : []),
  ] as const) {
    it(`${what} is UNAVAILABLE and reported to the host`, async () => {
      await writeFile(place, text())
      // The service caches every snapshot that it has read, but it has not yet read this one.
      const own = service.events.length
      for (const method of ['projects/query', 'projects/describe', 'projects/export']) {
        const { status, body } = await service.call(method, { projectId: PROJECT, sql: fresh() })
        assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'], body.message)
        assert.ok(!/[/\\]|ENOENT|manifest/.test(body.message ?? ''), body.message)
      }
      const events = service.events.slice(own)
      const causes = events.flatMap(event =>
        event.type === 'dependency' && event.port === 'snapshots' ? [String(event.cause)] : [],
      )
      assert.equal(causes.length, 3)
      for (const cause of causes) assert.match(cause, told)
      assert.ok(events.every(event => event.type !== 'fault' && !(event.type === 'engine' && event.what === 'died')))
      const other = await service.call('projects/query', { projectId: OTHER_PROJECT, sql: fresh() })
      assert.deepEqual(other.body.result?.items, ROWS)
    })
  }

  it('with a codec that was not reviewed is UNAVAILABLE, although its digests are right', async () => {
    const [table] = sealed.tables
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const from = join(folder, table?.file ?? '')
    await connection.run(
      `COPY (FROM read_parquet('${from}')) TO '${join(folder, 'b.parquet')}' (FORMAT parquet, COMPRESSION brotli)`,
    )
    instance.closeSync()
    const written = await readFile(join(folder, 'b.parquet'))
    const stored = {
      file: 'b.parquet',
      sha256: createHash('sha256').update(written).digest('hex'),
      bytes: written.length,
    }
    const tables = sealed.tables.map(each => (each === table ? { ...each, ...stored } : each))
    await writeFile(place, JSON.stringify({ ...sealed, tables }))
    const own = service.events.length
    const sql = `SELECT count(*) AS n FROM ${table?.name}`
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'], body.message)
    const causes = service.events.slice(own).map(event => inspect(event, { depth: 5 }))
    assert.match(causes.join(), /is compressed with BROTLI, which is not read/)
    const other = await service.call('projects/query', { projectId: OTHER_PROJECT, sql: fresh() })
    assert.deepEqual(other.body.result?.items, ROWS)
  })

  it('is read once it is repaired', async () => {
    await writeFile(place, manifest)
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql: fresh() })
    assert.deepEqual(body.result?.items, ROWS, body.message)
  })
})
