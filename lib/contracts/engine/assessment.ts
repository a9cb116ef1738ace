import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, defineCatalogue } from '../../catalogue/catalogue.js'
import { defineFold, defineTable } from '../../catalogue/definitions.js'
import { openSealer } from '../../duckdb/sealer.js'
import { directorySnapshots } from '../../snapshots/directory.js'
import { type SnapshotManifest, snapshotFiles } from '../../snapshots/manifest.js'
import { SnapshotReader } from '../../snapshots/reader.js'
import { wanted } from '../contract.js'

const idOf = (at: number) => `a5e1d3c0-0000-4000-8000-00000000000${at}`

/** UUID of an entity that owns two others. */
export const MILL = idOf(2)

/** Rows of `readings`, whose `n` counts from 0. */
export const READINGS = 3_000

export const HIERARCHY = {
  table: 'entities',
  key: 'entity_key',
  parent: 'parent_key',
  id: 'entity_id',
  share: 'ownership_share',
}

/** What callers of the engine can query. Every SELECT here and in the checks is SQL that engines have in common. */
export const CATALOGUE = defineCatalogue({
  hierarchy: HIERARCHY,
  relations: [
    defineTable({ name: 'entities' }),
    defineTable({ name: 'emissions', columns: { entity_key: 'VARCHAR', tonnes: 'DOUBLE' } }),
    defineTable({
      name: 'samples',
      columns: {
        id: 'INTEGER',
        whole: 'BIGINT',
        exact: 'DECIMAL(20,3)',
        ratio: 'DOUBLE',
        label: 'VARCHAR',
        flag: 'BOOLEAN',
        day: 'DATE',
        moment: 'TIMESTAMP',
      },
    }),
    defineTable({ name: 'readings', columns: { n: 'INTEGER' } }),
    defineTable({ name: 'remarks', columns: { n: 'INTEGER', remark: 'VARCHAR' }, optional: true }),
    defineFold({
      name: 'fold_by_entity',
      about: 'One row an entity in view: the tonnes that count.',
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

const SAMPLES = `id,whole,exact,ratio,label,flag,day,moment
1,9007199254740991,12.500,0.1,plain,true,2026-11-20,2026-11-20 01:02:03.456
2,9007199254740992,12345678901234567.890,-2.5e-300,"it's ""quoted"", and
goes on",false,1969-12-31,1969-12-31 23:59:59
3,-9223372036854775808,-0.001,1e300,Grüße \\ 雪 😀,true,2000-02-29,2000-02-29 00:00:00
4,,,,,,,
`

/** The rows of `samples` as JSON. */
export const SAMPLE_ROWS: unknown[][] = [
  [1, 9007199254740991, 12.5, 0.1, 'plain', true, '2026-11-20', '2026-11-20T01:02:03.456'],
  [
    2,
    '9007199254740992',
    '12345678901234567.890',
    -2.5e-300,
    'it\'s "quoted", and\ngoes on',
    false,
    '1969-12-31',
    '1969-12-31T23:59:59',
  ],
  [3, '-9223372036854775808', -0.001, 1e300, 'Grüße \\ 雪 😀', true, '2000-02-29', '2000-02-29T00:00:00'],
  [4, null, null, null, null, null, null, null],
]

/** Tables of an assessment. The root emits so many tonnes, and each entity twice as much as the one before: every sum is exact. */
function tablesOf(tonnes: number): Record<string, string> {
  return {
    entities: ENTITIES,
    emissions: `entity_key,tonnes\nroot,${tonnes}\nmill,${2 * tonnes}\nshop,${4 * tonnes}\nport,${8 * tonnes}\n`,
    samples: SAMPLES,
    readings: `n\n${Array.from({ length: READINGS }, (_, n) => n).join('\n')}\n`,
  }
}

/** What the root emits, which tells assessments apart. */
export type Tonnes = 8 | 512

const sealings = new Map<Tonnes, Promise<Sealed>>()

interface Sealed {
  manifest: Omit<SnapshotManifest, 'snapshotId'>
  files: Map<string, Buffer>
}

/** The files of a snapshot, which are sealed once for all checks, since that takes a second. */
function sealed(tonnes: Tonnes): Promise<Sealed> {
  const known = sealings.get(tonnes)
  if (known) return known
  const sealing = inScratch(async folder => {
    for (const [name, text] of Object.entries(tablesOf(tonnes))) await writeFile(join(folder, `${name}.csv`), text)
    const { manifest, home } = await seal(CATALOGUE, folder)
    const { snapshotId: _, ...rest } = manifest
    const names = snapshotFiles(manifest).map(({ file }) => file)
    const read = names.map(async name => [name, await readFile(join(home, name))] as const)
    return { manifest: rest, files: new Map(await Promise.all(read)) }
  })
  sealings.set(tonnes, sealing)
  sealing.catch(() => sealings.delete(tonnes))
  return sealing
}

/** Seals a folder into a folder below it. Throws a `SealError` when the tables are not as the catalogue has them. */
async function seal(catalogue: Catalogue, source: string): Promise<{ manifest: SnapshotManifest; home: string }> {
  const snapshots = directorySnapshots(join(source, 'snapshots'))
  const folder = join(source, 'scratch')
  await mkdir(folder)
  const sealer = await openSealer({ catalogue, snapshots, folder })
  try {
    const [projectId, assessmentId] = [randomUUID(), randomUUID()]
    const { manifest } = await sealer.seal({ projectId, assessmentId, source })
    return { manifest, home: join(source, 'snapshots', projectId, manifest.snapshotId) }
  } finally {
    await sealer.close()
  }
}

/** Publishes a snapshot of a project below `root`; returns it with its folder. */
export async function publish(root: string, projectId: string, tonnes: Tonnes, snapshotId?: string) {
  const snapshots = directorySnapshots(root)
  const { manifest, files } = await sealed(tonnes)
  const draft = await snapshots.draft()
  for (const [name, bytes] of files) await writeFile(join(draft, name), bytes)
  const published = await snapshots.publish(draft, { ...manifest, projectId, ...(snapshotId ? { snapshotId } : {}) })
  const snapshot = await new SnapshotReader(snapshots).latest(projectId, wanted())
  if (!snapshot) throw new Error('the snapshot that has just been sealed is gone')
  return { snapshot, folder: join(root, projectId, published.snapshotId) }
}

/** What keeps a Parquet file from being sealed as the rows of `table`; null when nothing does. */
export function wrongInParquet(
  path: string,
  rows: number,
  table: Parameters<typeof defineTable>[0],
): Promise<string | null> {
  return inScratch(async folder => {
    await writeFile(join(folder, 'entities.csv'), ENTITIES)
    await copyFile(path, join(folder, `${table.name}.parquet`))
    const relations = [defineTable({ name: 'entities' }), defineTable(table)]
    try {
      const { manifest } = await seal(defineCatalogue({ hierarchy: HIERARCHY, relations }), folder)
      const found = manifest.tables.find(({ name }) => name === table.name)?.rows
      return found === rows ? null : `it has ${found} rows`
    } catch (cause) {
      return String(cause)
    }
  })
}

/** Names of the files in a folder that end like a path. */
export async function siblings(path: string): Promise<string[]> {
  const ending = path.slice(path.lastIndexOf('.'))
  return (await readdir(join(path, '..'))).filter(name => name.endsWith(ending)).sort()
}

async function inScratch<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-contract-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
