import assert from 'node:assert/strict'
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SnapshotDifference } from '#transfer/comparison/compare-snapshots.js'
import { ask, output, outputJson, scratchFolder } from '../../../../test/server/command.js'
import { writeTables } from '../../../../test/server/package.js'
import { splitTable } from '../../../../test/server/split.js'
import { filesOfTable } from '../../../../test/stored.js'

const PROJECT = '6f9619ff-8b86-d011-b42d-00c04fc964ff'
const OTHER = '6f9619ff-8b86-d011-b42d-00c04fc964aa'
const NO_COLUMNS = { added: [], removed: [], retyped: [], changed: [] }
const scratch = scratchFolder()

describe('foldgate snapshot diff', () => {
  let folder: string
  let older: string
  let newer: string
  let foreign: string

  async function addProject(id: string): Promise<string> {
    await output(folder, 'project', 'add', '--organization', 'north', '--name', `Project ${id.slice(-2)}`, '--id', id)
    return output(folder, 'assessment', 'start', id)
  }

  before(async () => {
    folder = scratch.path
    await output(folder, 'organization', 'add', 'north', '--name', 'The North')
    const assessment = await addProject(PROJECT)
    const tables = join(folder, 'tables')
    await writeTables(tables)
    const sites = await readFile(join(tables, 'sites.csv'), 'utf8')
    await appendFile(join(tables, 'sites.csv'), 'gone,plant,Gone,,,,,,,,\n')
    await appendFile(join(tables, 'biomes.csv'), '1,Tundra\n')
    older = await output(folder, 'snapshot', 'seal', assessment, tables)
    foreign = await output(folder, 'snapshot', 'seal', await addProject(OTHER), tables)
    // The site has a name now, one was removed, two are new; a text has what a terminal would interpret.
    const named = sites.replace(/^site,plant,/m, 'site,plant,"New, \u001b[31mred"')
    await writeFile(join(tables, 'sites.csv'), `${named}a,plant,A,,,,,,,,\nb,plant,,,,,,,,,\n`)
    await writeFile(join(tables, 'sources.csv'), `${(await columnsOfSources()).join(',')}\n`)
    newer = await output(folder, 'snapshot', 'seal', assessment, tables)
  })

  async function columnsOfSources(): Promise<string[]> {
    const { default: catalogue } = await import('../../../../server/dist/assessed/catalogue.js')
    const sources = catalogue.relations.get('sources')
    assert.ok(sources?.kind === 'table')
    return Object.keys(sources.columns ?? {})
  }

  const diff = (...args: string[]) => outputJson<SnapshotDifference>(folder, 'snapshot', 'diff', ...args)

  it('compares two snapshots table by table', async () => {
    const found = await diff(older, newer)
    assert.deepEqual([found.projectId, found.from.id, found.to.id], [PROJECT, older, newer])
    assert.ok(found.from.sealedAt < found.to.sealedAt)
    const differing = found.tables.filter(({ state }) => state !== 'same')
    assert.deepEqual(differing, [
      {
        name: 'sites',
        state: 'different',
        key: ['site_key'],
        rows: { from: 2, to: 3, added: 2, removed: 1, changed: 1 },
        columns: { ...NO_COLUMNS, changed: [{ name: 'name', rows: 1 }] },
      },
      {
        name: 'sources',
        state: 'added',
        key: ['source_id'],
        rows: { from: 0, to: 0, added: 0, removed: 0, changed: 0 },
        columns: NO_COLUMNS,
      },
    ])
    const same = found.tables.find(({ name }) => name === 'biomes')
    assert.deepEqual(same?.rows, { from: 1, to: 1, added: 0, removed: 0, changed: 0 })
    assert.equal(found.tables.length, 17)
  })

  it('compares the newest two of a project, and in the order in which they are named', async () => {
    assert.deepEqual(await diff(PROJECT), await diff(older, newer))
    const reverse = await diff(newer, older)
    const rows = { from: 3, to: 2, added: 1, removed: 2, changed: 1 }
    assert.deepEqual(reverse.tables.find(({ name }) => name === 'sites')?.rows, rows)
    assert.equal(reverse.tables.find(({ name }) => name === 'sources')?.state, 'removed')
  })

  it('shows which rows of a table differ, with nothing that a terminal interprets', async () => {
    const text = await output(folder, 'snapshot', 'diff', PROJECT, '--table', 'sites', '--limit', '1')
    const [from, to, , ...lines] = text.split('\n')
    assert.match(from ?? '', new RegExp(`^From ${older}, sealed 20`))
    assert.match(to ?? '', new RegExp(`^to   ${newer}, sealed 20`))
    const rest = [
      'iso3',
      'latitude',
      'longitude',
      'biome_num',
      'ecoregion_id',
      'biome_method',
      'source_id',
      'source_ref',
    ]
    const nulls = rest.map(name => `${name}=NULL`).join(' ')
    assert.deepEqual(lines, [
      'TABLE  ADDED  REMOVED  CHANGED  COLUMNS',
      'sites  2      1        1        name: 1',
      '',
      'Rows are matched by site_key:',
      `+ site_key=a entity_key=plant name=A ${nulls}`,
      `- site_key=gone entity_key=plant name=Gone ${nulls}`,
      '~ site_key=site',
      '    name: NULL → "New, \\u001b[31mred"',
      'and 1 row more',
    ])
  })

  it('says what is the same', async () => {
    assert.match(await output(folder, 'snapshot', 'diff', PROJECT), /\n\n15 tables are the same$/)
    assert.match(await output(folder, 'snapshot', 'diff', PROJECT, '--table', 'biomes'), /\n\nThe table is the same$/)
    const added = await output(folder, 'snapshot', 'diff', PROJECT, '--table', 'sources')
    assert.match(added, /\nsources +0 +0 +0 +the table was added$/)
  })

  it('refuses what it cannot compare', async () => {
    const unknown = older.replace('000001', '000009')
    const refused: [string[], RegExp][] = [
      [[older], /Name a second snapshot to compare with, or a project instead/],
      [[older, older], /Both snapshots are the same: name two/],
      [[older, unknown], /There is no snapshot 000009-.*: see "foldgate snapshot list PROJECT"/],
      [[older, foreign], new RegExp(`are of two projects, ${PROJECT} and ${OTHER}: name two snapshots of one`)],
      [[PROJECT, newer], /"6f9619ff-.*" is not the id of a snapshot/],
      [[older, '../../control.db'], /"\.\.\/\.\.\/control\.db" is not the id of a snapshot/],
      [['one'], /"one" is not a UUID/],
      [[OTHER], /has only one snapshot: a comparison needs two/],
      [[PROJECT.replace('6', '7')], /There is no project 7f96/],
      [[PROJECT, '--table', 'site'], /Neither snapshot has a table "site": leave --table out/],
      [[PROJECT, '--limit', '5'], /--limit needs --table/],
      [[PROJECT, '--table', 'sites', '--limit', '0'], /--limit cannot be "0": give a whole number from 1 to 1000/],
    ]
    for (const [args, message] of refused) {
      const { status, stdout, stderr } = await ask(folder, ['snapshot', 'diff', ...args])
      assert.deepEqual([status, stdout], [1, ''], args.join(' '))
      assert.match(stderr, message)
    }
    assert.deepEqual(await readdir(join(folder, 'foldgate-data', 'scratch')), [])
  })

  it('compares a table in several files as if it were in one', async () => {
    const asked = [[], ['--table', 'sites']].map(args => [older, newer, ...args])
    const before = await Promise.all(asked.map(args => diff(...args)))
    const snapshots = join(folder, 'foldgate-data', 'snapshots')
    await splitTable(snapshots, PROJECT, older, 'sites')
    await splitTable(snapshots, PROJECT, newer, 'entities')
    assert.deepEqual(await Promise.all(asked.map(args => diff(...args))), before)
    const [, second = ''] = await filesOfTable(snapshots, PROJECT, older, 'sites')
    const sound = await readFile(second)
    await rm(second)
    const { status, stderr } = await ask(folder, ['snapshot', 'diff', older, newer])
    assert.equal(status, 1)
    assert.match(stderr, /The snapshot 000001-.* is damaged: .*: sites-\S+\.parquet is missing\n$/)
    await writeFile(second, sound)
  })

  it('refuses a damaged snapshot, and lets go of the other one', async () => {
    const [file = ''] = await filesOfTable(join(folder, 'foldgate-data', 'snapshots'), PROJECT, newer, 'sites')
    const sound = await readFile(file)
    await writeFile(file, sound.subarray(0, -1))
    const { status, stderr } = await ask(folder, ['snapshot', 'diff', older, newer])
    assert.equal(status, 1)
    assert.match(stderr, /The snapshot 000002-.* is damaged: .*: sites-\S+\.parquet is not as it was sealed\n$/)
    await rm(file)
    const gone = await ask(folder, ['snapshot', 'diff', PROJECT, '--table', 'biomes'])
    assert.match(gone.stderr, /is damaged: .*: sites-\S+\.parquet is missing\n$/)
    await writeFile(file, sound)
    assert.equal(await output(folder, 'snapshot', 'prune', PROJECT), older)
  })
})
