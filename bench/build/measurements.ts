import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTable } from 'foldgate'

const ROOT = '00000000-0000-4000-8000-000000000001'

/** A catalogue with one large table, `measurements`. */
export const measurementsCatalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id', 'ownership_share'],
      unique: ['entity_key'],
    }),
    defineTable({ name: 'measurements', required: ['id'] }),
  ],
  examples: [],
})

/** Writes a package with `rows` measurements of eight columns. */
export async function writeMeasurements(folder: string, rows: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'entities.csv'), `entity_key,entity_id,parent_key,ownership_share\nroot,${ROOT},,1\n`)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run(
    `COPY (
       SELECT i AS id, 'root' AS entity_key, ['co2', 'ch4', 'water', 'land', 'so2'][1 + i % 5] AS indicator,
              (2000 + i % 25)::INTEGER AS year, 'site ' || (hash(i + 1) % 20000) AS site,
              (hash(i + 2) % 1000000007) / 997 AS value, (hash(i + 3) % 100) / 100 AS share,
              left(md5(i::VARCHAR), 12) AS reference
       FROM range(${rows}) t(i)) TO '${join(folder, 'measurements.parquet')}' (FORMAT parquet)`,
  )
  instance.closeSync()
}
