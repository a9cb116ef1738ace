import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

/** Tables that are enlarged; all others are copied unchanged. */
const GROWING = ['entities', 'sites', 'activities']

/**
 * Writes a package to `target` that copies of entities, sites and activities make `times` as large; the output is
 * deterministic. Groups and countries are not copied; the copies are placed below them.
 */
export async function enlarge(source: string, target: string, times: number): Promise<void> {
  await mkdir(target, { recursive: true })
  for (const name of await readdir(source))
    if (name.endsWith('.csv') && !GROWING.includes(name.slice(0, -4)))
      await copyFile(join(source, name), join(target, name))
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '4GB' })
  const connection = await instance.connect()
  try {
    await connection.run(`CREATE TABLE copies AS SELECT '#' || k AS tag FROM range(1, ${times}) t(k)`)
    await connection.run(
      `CREATE MACRO h(key, salt) AS CAST('0x' || left(md5(key || salt), 8) AS UBIGINT) % 10000 / 10000`,
    )
    for (const table of GROWING)
      await connection.run(
        `CREATE TABLE ${table} AS SELECT * FROM read_csv('${join(source, `${table}.csv`)}', header = true, nullstr = '')`,
      )
    await write(connection, join(target, 'entities.parquet'), ENTITIES)
    await write(connection, join(target, 'sites.parquet'), SITES)
    await write(connection, join(target, 'activities.parquet'), ACTIVITIES)
  } finally {
    instance.closeSync()
  }
}

async function write(connection: DuckDBConnection, path: string, sql: string): Promise<void> {
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`)
}

const COPIED = `('parent', 'company', 'asset')`

const ENTITIES = `
  SELECT * FROM entities
  UNION ALL
  SELECT * EXCLUDE (key, tag, parent_kind) REPLACE (
    key AS entity_key,
    md5('entity/' || project_key || '/' || key)::UUID AS entity_id,
    CASE WHEN parent_kind IN ('parent', 'company') THEN parent_key || tag ELSE parent_key END AS parent_key,
    CASE WHEN ownership_share = 1 THEN 1
         ELSE least(1, ownership_share * (0.8 + 0.4 * h(key, 'share'))) END AS ownership_share,
    'synthetic' AS share_basis)
  FROM (
    SELECT e.*, e.entity_key || c.tag AS key, c.tag, p.kind AS parent_kind
    FROM entities e CROSS JOIN copies c
    LEFT JOIN entities p ON p.project_key = e.project_key AND p.entity_key = e.parent_key
    WHERE e.kind IN ${COPIED})`

const SITES = `
  SELECT * FROM sites
  UNION ALL
  SELECT * EXCLUDE (key, tag, kind) REPLACE (
    key AS site_key,
    CASE WHEN kind IN ${COPIED} THEN entity_key || tag ELSE entity_key END AS entity_key,
    greatest(-90, least(90, latitude + (h(key, 'lat') - 0.5) * 0.5)) AS latitude,
    greatest(-180, least(180, longitude + (h(key, 'lon') - 0.5) * 0.5)) AS longitude,
    'SYN' AS source_id)
  FROM (
    SELECT s.*, s.site_key || c.tag AS key, c.tag, e.kind
    FROM sites s CROSS JOIN copies c
    JOIN entities e ON e.project_key = s.project_key AND e.entity_key = s.entity_key)`

const ACTIVITIES = `
  SELECT * FROM activities
  UNION ALL
  SELECT * EXCLUDE (key, factor) REPLACE (
    key AS site_key,
    capacity * factor AS capacity,
    output * factor AS output,
    output_prev * factor AS output_prev,
    reported_co2_t * factor AS reported_co2_t,
    'synthetic' AS output_basis)
  FROM (
    SELECT a.*, a.site_key || c.tag AS key, 0.5 + h(a.site_key || c.tag, 'out') AS factor
    FROM activities a CROSS JOIN copies c)`
