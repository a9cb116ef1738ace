import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, defineCatalogue, defineFold, defineTable, directorySnapshots } from 'foldgate'
import type { PointOfView } from 'foldgate/engine'
import { SnapshotReader } from 'foldgate/internal'
import { fromFolder, openSealer, type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import { wanted } from '#contracts/contract.js'

const idOf = (at: number) => `a5e1d3c0-0000-4000-8000-00000000000${at}`

/** UUID of an entity that owns two others. */
export const MILL = idOf(2)

/** Rows of `readings`, whose `n` counts from 0. */
export const READINGS = 3_000

const HIERARCHY = {
  table: 'entities',
  key: 'entity_key',
  parent: 'parent_key',
  id: 'entity_id',
  share: 'ownership_share',
}

const SAMPLE_TYPES = {
  ...{ id: 'INTEGER', whole: 'BIGINT', exact: 'DECIMAL(20,3)', ratio: 'DOUBLE' },
  ...{ label: 'VARCHAR', flag: 'BOOLEAN', day: 'DATE', moment: 'TIMESTAMP' },
}
export const SAMPLE_COLUMNS = Object.keys(SAMPLE_TYPES)

/**
 * What callers of the engine can query. Every SELECT here and in the checks is SQL that engines have in
 * common.
 */
export const CATALOGUE = defineCatalogue({
  hierarchy: HIERARCHY,
  relations: [
    defineTable({ name: 'entities' }),
    defineTable({ name: 'emissions', columns: { entity_key: 'VARCHAR', tonnes: 'DOUBLE' } }),
    defineTable({ name: 'samples', columns: SAMPLE_TYPES }),
    defineTable({ name: 'readings', columns: { n: 'INTEGER' } }),
    defineTable({ name: 'remarks', columns: { n: 'INTEGER', remark: 'VARCHAR' }, optional: true }),
    defineFold({
      name: 'fold_by_entity',
      about: 'One row per entity in view: the tonnes that count.',
      reads: ['emissions', 'point_of_view'],
      sql: `SELECT e.entity_key, e.tonnes * v.share AS tonnes
            FROM emissions e JOIN point_of_view v ON v.entity_key = e.entity_key`,
      internal: true,
    }),
    defineFold({
      name: 'fold_tonnes',
      about: 'One row: the tonnes of the point of view, and how many entities emit them.',
      reads: ['fold_by_entity'],
      sql: 'SELECT sum(tonnes) AS tonnes, count(*) AS emitters FROM fold_by_entity',
    }),
  ],
  examples: [{ question: 'How much is emitted?', sql: 'SELECT tonnes FROM fold_tonnes' }],
})

const ENTITIES = `entity_key,entity_id,parent_key,ownership_share
root,${idOf(1)},,1
mill,${MILL},root,0.5
shop,${idOf(3)},mill,0.5
port,${idOf(4)},root,0.25
port,${idOf(4)},mill,0.5
`

const QUOTED = 'it\'s "quoted", and\ngoes on'
const SAMPLES = `id,whole,exact,ratio,label,flag,day,moment
1,9007199254740991,12.500,0.1,plain,true,2026-11-20,2026-11-20 01:02:03.456
2,9007199254740992,12345678901234567.890,-2.5e-300,"it's ""quoted"", and
goes on",false,1969-12-31,1969-12-31 23:59:59
3,-9223372036854775808,-0.001,1e300,Grüße \\ 雪 😀,true,2000-02-29,2000-02-29 00:00:00
4,,,,,,,
`

/** The rows of `samples` as JSON. */
export const SAMPLED = [
  [1, 9007199254740991, 12.5, 0.1, 'plain', true, '2026-11-20', '2026-11-20T01:02:03.456'],
  [2, '9007199254740992', '12345678901234567.890', -2.5e-300, QUOTED, false, '1969-12-31', '1969-12-31T23:59:59'],
  [3, '-9223372036854775808', -0.001, 1e300, 'Grüße \\ 雪 😀', true, '2000-02-29', '2000-02-29T00:00:00'],
  [4, null, null, null, null, null, null, null],
].map(row => Object.fromEntries(row.map((value, at) => [SAMPLE_COLUMNS[at], value])))

/**
 * Files of an assessment. The root emits so many tonnes, and each entity twice as much as the one before:
 * sums are exact.
 */
function tablesOf(tonnes: number): Record<string, string> {
  return {
    'entities.csv': ENTITIES,
    'emissions.csv': `entity_key,tonnes\nroot,${tonnes}\nmill,${2 * tonnes}\nshop,${4 * tonnes}\nport,${8 * tonnes}\n`,
    'samples.csv': SAMPLES,
    'readings.csv': `n\n${Array.from({ length: READINGS }, (_, n) => n).join('\n')}\n`,
  }
}

/** What the root emits, which tells assessments apart. */
export type Tonnes = 8 | 512

type Sealed = { manifest: SnapshotManifest; files: ReadonlyMap<string, Buffer> }

/** Each assessment is sealed once for all checks, since that takes a second. */
const sealings = new Map<Tonnes, Promise<Sealed>>()

/** Seals files into a snapshot. Throws a `SealError` when the tables are not as the catalogue has them. */
async function seal(catalogue: Catalogue, contents: Readonly<Record<string, string | Buffer>>): Promise<Sealed> {
  const source = await mkdtemp(join(tmpdir(), 'foldgate-contract-'))
  try {
    for (const [name, content] of Object.entries(contents)) await writeFile(join(source, name), content)
    const folder = join(source, 'scratch')
    await mkdir(folder)
    const snapshots = directorySnapshots(join(source, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder })
    const projectId = randomUUID()
    const { manifest } = await sealer.seal({ projectId, tables: fromFolder(source) }).finally(() => sealer.close())
    const names = snapshotFiles(manifest).map(({ file }) => file)
    const sealed = (await snapshots.open(projectId, manifest.snapshotId, names, wanted()))?.folder ?? ''
    const files = names.map(async file => [file, await readFile(join(sealed, file))] as const)
    return { manifest, files: new Map(await Promise.all(files)) }
  } finally {
    await rm(source, { recursive: true })
  }
}

/** Publishes a snapshot of a project below `root`; returns it with the folder of its files. */
export async function publish(root: string, projectId: string, tonnes: Tonnes, snapshotId?: string) {
  const sealing = sealings.get(tonnes) ?? seal(CATALOGUE, tablesOf(tonnes))
  sealings.set(tonnes, sealing)
  sealing.catch(() => sealings.delete(tonnes))
  const { manifest, files } = await sealing
  const { snapshotId: _, ...rest } = manifest
  const snapshots = directorySnapshots(root)
  const draft = await mkdtemp(join(root, 'draft-'))
  for (const [name, bytes] of files) await writeFile(join(draft, name), bytes)
  await snapshots.publish(draft, { ...rest, projectId, ...(snapshotId ? { snapshotId } : {}) })
  const snapshot = await new SnapshotReader(snapshots).latest(projectId, wanted())
  if (!snapshot) throw new Error('the snapshot that has just been sealed is gone')
  return { snapshot, folder: (await snapshot.open([])).folder }
}

/** The whole of a new project below a folder, in net view. */
export async function newPoint(
  folder: string,
  tonnes: Tonnes = 8,
  projectId = randomUUID(),
  snapshotId?: string,
): Promise<PointOfView> {
  const { snapshot } = await publish(folder, projectId, tonnes, snapshotId)
  return { snapshot, organization: 'north', entityId: null, ownershipView: 'net' }
}

/** What keeps a Parquet file from being sealed as the rows of `table`; null when nothing does. */
export async function wrongInParquet(path: string, rows: number, table: Parameters<typeof defineTable>[0]) {
  const relations = [defineTable({ name: 'entities' }), defineTable(table)]
  const contents = { 'entities.csv': ENTITIES, [`${table.name}.parquet`]: await readFile(path) }
  try {
    const { manifest } = await seal(defineCatalogue({ hierarchy: HIERARCHY, relations }), contents)
    const found = manifest.tables.find(({ name }) => name === table.name)?.rows
    return found === rows ? null : `it has ${found} rows`
  } catch (cause) {
    return String(cause)
  }
}
