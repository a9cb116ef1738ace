import { statSync } from 'node:fs'
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { output } from '../../server/command.js'
import { manifestPath, tablesOf } from '../../stored.js'
import { givenFolders, ID, rewriteManifest, sha256 } from './given.js'

const READ = ['zstd', 'snappy', 'gzip', 'lz4_raw', 'uncompressed']

describe('a Parquet file with a codec that was not reviewed', () => {
  const given = givenFolders()
  const { changed, refuses } = given
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
  })
  after(() => instance?.closeSync())

  const asParquet = (codec: string) => async (folder: string) => {
    const [csv, parquet] = [join(folder, 'sites.csv'), join(folder, 'sites.parquet')]
    const options = `(FORMAT parquet, COMPRESSION ${codec})`
    await connection.run(`COPY (FROM read_csv('${csv}', all_varchar = true)) TO '${parquet}' ${options}`)
    await rm(csv)
  }

  it('is refused by name and column, unlike those with others', async () => {
    for (const codec of READ) await output(given.path, 'snapshot', 'check', await changed('tables', asParquet(codec)))
    const columns = (await readFile(join(given.path, 'tables', 'sites.csv'), 'utf8')).split('\n')[0]?.split(',') ?? []
    const refused = new RegExp(
      `sites, column ${columns[0]}: sites\\.parquet is compressed with BROTLI, which is not read ` +
        `\\(and so are ${columns.length - 1} others\\): write the file with zstd or snappy`,
    )
    const tables = await changed('tables', asParquet('brotli'))
    await refuses(['snapshot', 'seal', given.assessment, tables], refused)
    await refuses(['snapshot', 'check', tables], refused)
    const folder = await changed('package', asParquet('brotli'))
    await refuses(['import', folder], /sites, column project_key: sites\.parquet is compressed with BROTLI/)
  }).timeout(60_000)

  it('is refused before its pages are read, even if they are damaged', async () => {
    const folder = await changed('tables', async copy => {
      await asParquet('brotli')(copy)
      const bytes = await readFile(join(copy, 'sites.parquet'))
      bytes.fill(0xff, 4, 64)
      await writeFile(join(copy, 'sites.parquet'), bytes)
    })
    await refuses(['snapshot', 'check', folder], /is compressed with BROTLI, which is not read/)
  })

  it('is refused in a snapshot that is carried over or accepted, although its digests are right', async () => {
    const exported = await changed('exported', async folder => {
      const path = join(folder, 'snapshots', ID, given.snapshot, await given.exportedFile('sites'))
      await connection.run(`COPY (FROM read_parquet('${path}')) TO '${path}.new' (FORMAT parquet, COMPRESSION brotli)`)
      await rename(`${path}.new`, path)
      const digest = sha256(await readFile(path))
      await rewriteManifest(folder, given.snapshot, ({ tables }) => {
        for (const table of tables)
          if (table.name === 'sites') Object.assign(table, { sha256: digest, bytes: statSync(path).size })
      })
    })
    const line = /the column "site_key" of sites-[0-9a-f-]+\.parquet is compressed with BROTLI, which is not read/
    const data = ['--data', 'restored']
    await refuses(['project', 'import', exported, ...data], line)
    await output(given.path, 'project', 'import', join(given.path, 'exported'), ...data)
    // As if the data folder was restored from elsewhere, with a newer snapshot.
    const newer = given.snapshot.replace('000001', '000009')
    const from = join(exported, 'snapshots', ID, given.snapshot)
    const restored = join(given.path, 'restored', 'snapshots')
    await cp(from, tablesOf(restored, ID), { recursive: true })
    const place = manifestPath(restored, ID, newer)
    const manifest = await readFile(join(from, 'manifest.json'), 'utf8')
    await writeFile(place, manifest.replace(given.snapshot, newer))
    await refuses(['snapshot', 'accept', ID, ...data], line)
    await rm(place)
    await output(given.path, 'snapshot', 'accept', ID, ...data)
  }).timeout(60_000)
})
