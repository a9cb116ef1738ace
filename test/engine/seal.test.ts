import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, SealError, type Sealer, snapshotFiles } from 'foldgate/sealing'

const MIB = 1024 ** 2
const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id'],
    }),
    defineTable({
      name: 'sites',
      columns: { site_key: 'VARCHAR', entity_key: 'VARCHAR', area: 'INTEGER' },
      required: ['site_key'],
      unique: ['site_key'],
      references: { entity_key: 'entities.entity_key' },
    }),
  ],
})
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
/** A CSV row of an entity: its key, its id as a number, its holder and its share. */
const entity = (key: string, n: number, parent: string, share: number | string = 1) =>
  `${key},${idOf(n)},${parent},${share}`
const GROUP = entity('group', 1, '')
const SITES = ['mine,group,3']

describe('sealing', () => {
  let folder: string
  let sealer: Sealer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-seal-'))
    sealer = await openSealer(options())
  })
  after(async () => {
    await sealer.close()
    await rm(folder, { recursive: true })
  })

  const options = () => ({
    catalogue,
    snapshots: directorySnapshots(join(folder, 'snapshots')),
    folder: join(folder, 'scratch'),
  })

  async function seal(entities: readonly string[], sites: readonly string[] = SITES, by = sealer) {
    const source = await mkdtemp(join(folder, 'tables-'))
    const rows = ['entity_key,entity_id,parent_key,ownership_share', ...entities]
    await writeFile(join(source, 'entities.csv'), `${rows.join('\n')}\n`)
    await writeFile(join(source, 'sites.csv'), `${['site_key,entity_key,area', ...sites].join('\n')}\n`)
    return by.seal({ projectId: randomUUID(), assessmentId: 'a', tables: fromFolder(source) })
  }

  it('needs no assessment', async () => {
    const source = await mkdtemp(join(folder, 'tables-'))
    await writeFile(join(source, 'entities.csv'), `entity_key,entity_id,parent_key,ownership_share\n${GROUP}\n`)
    await writeFile(join(source, 'sites.csv'), 'site_key,entity_key,area\n')
    const { manifest } = await sealer.seal({ projectId: randomUUID(), tables: fromFolder(source) })
    assert.deepEqual([manifest.rootId, 'assessmentId' in manifest], [idOf(1), false])
    const { projectId, snapshotId } = manifest
    assert.deepEqual(await options().snapshots.verify(projectId, snapshotId), [])
    const { entities: _, ...halved } = manifest
    assert.throws(() => snapshotFiles(halved), /entities/)
  })

  async function refused(entities: readonly string[], sites?: readonly string[]): Promise<string[]> {
    const cause = await seal(entities, sites).catch((error: unknown) => error)
    assert.ok(cause instanceof SealError, String(cause))
    return cause.message.split('\n')
  }

  it('keeps an entity with several holders, and a tree of any depth', async () => {
    const chain = Array.from({ length: 5_000 }, (_, n) => entity(`e${n}`, n + 10, n === 0 ? 'group' : `e${n - 1}`))
    const twice = [entity('part', 2, 'group', 0.5), entity('part', 2, 'e7', 0.25)]
    const { manifest } = await seal([GROUP, ...twice, ...chain])
    assert.equal(manifest.entities?.count, 5_002)
    assert.equal(manifest.rootId, idOf(1))
    assert.deepEqual(
      manifest.tables.map(({ name, rows }) => [name, rows]),
      [
        ['entities', 5_003],
        ['sites', 1],
      ],
    )
  })

  for (const [what, entities, expected] of [
    [
      'invalid shares',
      [GROUP, entity('a', 2, 'group', 1.5), entity('b', 3, 'group', -0.1), entity('c', 4, 'group', '')],
      ['a', 'b', 'c'].map(
        (key, at) =>
          `entities.ownership_share: entity "${key}": the share ${[1.5, -0.1, null][at]} is not within 0 and 1`,
      ),
    ],
    [
      'an entity with two ids, and an id of two entities',
      [GROUP, entity('a', 2, 'group', 0.5), entity('a', 3, 'group', 0.5), entity('b', 2, 'group')],
      ['a', 'b'].map(key => `entities.entity_id: entity "${key}": an entity has one id, and no two share it`),
    ],
    [
      'two roots',
      [GROUP, entity('other', 2, '')],
      ['entities.parent_key: there must be one root without a holder, not 2: "group", "other"'],
    ],
    [
      'a holder that does not exist',
      [GROUP, entity('a', 2, 'nobody')],
      ['entities.parent_key: entity "a": its holder "nobody" is not in the table'],
    ],
    [
      'a root that has a holder',
      [GROUP, entity('a', 2, 'group'), entity('group', 1, 'a')],
      [
        'entities.parent_key: entity "group": the root has no holder',
        'entities.parent_key: these entities hold each other in a cycle: "group", "a"',
      ],
    ],
    [
      'an entity that holds itself',
      [GROUP, entity('a', 2, 'a')],
      ['entities.parent_key: these entities hold each other in a cycle: "a"'],
    ],
    [
      'a cycle below the root, with an entity below the cycle',
      [
        GROUP,
        entity('below', 5, 'c'),
        entity('a', 2, 'group', 0.5),
        entity('a', 2, 'c', 0.5),
        entity('b', 3, 'a'),
        entity('c', 4, 'b'),
      ],
      ['entities.parent_key: these entities hold each other in a cycle: "c", "b", "a"'],
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      assert.deepEqual(await refused(entities), expected)
    })
  }

  it('names ten entities of a long cycle, and counts the rest', async () => {
    const ring = Array.from({ length: 25 }, (_, n) => entity(`r${n}`, n + 10, `r${(n + 1) % 25}`))
    const [line, ...more] = await refused([GROUP, ...ring])
    assert.match(line ?? '', /cycle: "r0", "r1", .*"r9" and 15 more$/)
    assert.deepEqual(more, [])
  })

  it('reports every wrong value by line', async () => {
    const sites = ['a,group,x', ',group,1', 'b,nobody,2', 'b,group,3']
    assert.deepEqual(await refused([GROUP, entity('e', 2, 'group', 'half')], sites), [
      'entities.ownership_share: line 3: "half" is not a DOUBLE',
      'sites.area: line 2: "x" is not an INTEGER',
      'sites.site_key: line 3: the value is missing',
      'sites.site_key: line 5: "b" comes twice',
      'sites.entity_key: "nobody" is not in entities.entity_key',
    ])
    assert.deepEqual(await refused([GROUP], ['b,nobody,2']), [
      'sites.entity_key: "nobody" is not in entities.entity_key',
    ])
  })

  it('throws if the tables do not fit into its memory', async () => {
    const small = await openSealer({ ...options(), memoryLimitBytes: 200 * MIB })
    try {
      const wide = Array.from({ length: 60 }, (_, n) => `${n}${'x'.repeat(1_500_000)},group,1`)
      await assert.rejects(seal([GROUP], wide, small), {
        name: 'SealerError',
        reason: 'memory',
        message: 'The tables do not fit into the 200 MiB that sealing may take.',
      })
    } finally {
      await small.close()
    }
  })
})
