import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defineCatalogue, defineRule, defineTable, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, SealError, type Sealer, tableFiles } from 'foldgate/sealing'
import { manifestPath, tablesOf } from '../../stored.js'
import { readParquetRows } from '../../types/arrow.js'

const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', share: 'DOUBLE' },
    }),
    defineTable({
      name: 'sites',
      columns: {
        site_key: 'VARCHAR',
        kind: 'VARCHAR',
        hectares: 'DOUBLE',
        since: 'INTEGER',
        opened: 'DATE',
        unit: 'VARCHAR',
      },
      ranges: { since: { least: 1700 } },
      values: { kind: ['mine', 'mill'] },
      warnings: ['since'],
    }),
    defineTable({ name: 'units', columns: { unit: 'VARCHAR' }, optional: true }),
  ],
  rules: [
    defineRule({
      table: 'sites',
      column: 'unit',
      reads: ['units'],
      wrong: 'SELECT unit FROM sites ANTI JOIN units USING (unit)',
      message: 'no unit',
      isWarning: true,
    }),
    defineRule({
      table: 'sites',
      column: 'site_key',
      wrong: "SELECT site_key FROM sites WHERE kind = 'mill' AND hectares > 10",
      message: 'a mill of more than 10 ha',
    }),
  ],
})
const ENTITIES = 'entity_key,entity_id,parent_key,share\ngroup,00000000-0000-4000-8000-000000000001,,1\n'
const HEADER = 'site_key,kind,hectares,since,opened,unit\n'

describe('the checks of sealing', () => {
  let folder: string
  let sealer: Sealer
  const snapshots = () => directorySnapshots(join(folder, 'snapshots'))
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-checks-'))
    sealer = await openSealer({ catalogue, snapshots: snapshots(), folder: join(folder, 'scratch') })
  })
  after(async () => {
    await sealer.close()
    await rm(folder, { recursive: true })
  })

  async function write(files: Record<string, string>): Promise<string> {
    const source = await mkdtemp(join(folder, 'tables-'))
    for (const [name, text] of Object.entries({ 'entities.csv': ENTITIES, ...files }))
      await writeFile(join(source, name), text)
    return source
  }

  async function problemsOf(sites: string, files: Record<string, string> = {}) {
    const source = await write({ 'sites.csv': HEADER + sites, ...files })
    const error = await sealer.check({ tables: fromFolder(source) }).catch((cause: unknown) => cause)
    assert.ok(error instanceof SealError, String(error))
    return error.problems.map(({ column, message, rows }) => `${column}: ${message}${rows ? ` [${rows}]` : ''}`)
  }

  it('name values of the wrong type by the line of an editor, and say how to write them', async () => {
    const sites = 'a,mine,"1.234,5",,,\n\n"b\n",mine,2,1999.5,31.12.2024,\nc,mine,"3,5",1e3,,\n'
    assert.deepEqual(await problemsOf(sites), [
      'hectares: line 2: "1.234,5" is not a DOUBLE: write decimals with a point, and no separator of thousands, as in ' +
        '1234.5 (and 1 more row) [2]',
      'since: line 4: "1999.5" is not an INTEGER: it would be stored as 2000. Correct it, or declare the column with ' +
        'lossy: true [1]',
      'opened: line 4: "31.12.2024" is not a DATE: write it as 2024-12-31 [1]',
    ])
  })

  it('refuse what is in no list and what breaks a rule, with the number of rows', async () => {
    assert.deepEqual(await problemsOf('a,pit,,,,\nb,mill,,,,\nc,well,,,,\n'), [
      'kind: line 2: "pit" is none of "mine", "mill" (and 1 more row) [2]',
    ])
    const mills = ['a', 'b', 'c', 'd', 'e'].map(key => `${key},mill,11,,,\n`).join('')
    assert.deepEqual(await problemsOf(mills), [
      'site_key: "a", "b", "c" and 2 other values are a mill of more than 10 ha (5 rows) [5]',
    ])
  })

  it('seal with warnings, which are in the manifest', async () => {
    const source = await write({ 'sites.csv': `${HEADER}a,mine,1,17,,t\nb,mine,1,18,,kg\n`, 'units.csv': 'unit\nt\n' })
    const warnings = [
      { table: 'sites', column: 'since', message: 'line 2: "17" is below 1700 (and 1 more row)', rows: 2 },
      { table: 'sites', column: 'unit', message: '"kg" is no unit', rows: 1 },
    ]
    const projectId = randomUUID()
    const { manifest } = await sealer.seal({ projectId, assessmentId: 'a', tables: fromFolder(source) })
    assert.deepEqual(manifest.warnings, warnings)
    assert.deepEqual((await snapshots().manifests(projectId))[0]?.warnings, warnings)
    const checked = await sealer.check({ tables: fromFolder(source) })
    assert.deepEqual(checked, {
      tables: [
        { name: 'entities', rows: 1 },
        { name: 'sites', rows: 2 },
        { name: 'units', rows: 1 },
      ],
      warnings,
      leftOut: [],
    })
  })

  it('leave out a rule about a table that is not there, and publish nothing', async () => {
    const source = await write({ 'sites.csv': `${HEADER}a,mine,1,,,kg\n`, 'notes.txt': '' })
    const before = await readdir(join(folder, 'snapshots'))
    assert.deepEqual((await sealer.check({ tables: fromFolder(source) })).leftOut, ['notes.txt'])
    assert.deepEqual(await readdir(join(folder, 'snapshots')), before)
    assert.deepEqual((await sealer.check({ tables: fromFolder(source) })).warnings, [])
  })

  it('refuse rows of a project that is not known, and keep those of the project alone', async () => {
    const entities = ENTITIES.replace('entity_key', 'project,entity_key').replace('\ngroup', '\none,group')
    const sites = `project,${HEADER}one,a,mine,1,,,\ntwo,b,mine,bad,,,\n`
    const source = await write({ 'entities.csv': entities, 'sites.csv': sites })
    const projects = new Map([['one', randomUUID()]])
    const check = () =>
      sealer.checkMany({ tables: fromFolder(source), by: 'project', shared: 'where-missing', projects })
    const found = await check()
    assert.deepEqual([found.problems, found.checked.map(({ key, rows }) => [key, rows])], [[], [['one', 2]]])
    assert.deepEqual(found.strays, [{ table: 'sites', key: 'two', rows: 1, firstRow: 2 }])
    projects.set('two', randomUUID())
    await writeFile(join(source, 'sites.csv'), `${sites}tow,c,mine,1,,,\n,d,mine,1,,,\n`)
    const { checked, failed, strays } = await check()
    assert.deepEqual(
      strays.map(({ key, firstRow }) => [key, firstRow]).sort(),
      [
        ['tow', 3],
        [null, 4],
      ].sort(),
    )
    assert.equal(checked.length, 1)
    assert.match(String(failed[0]?.error), /^SealError: sites\.hectares: line 3: "bad" is not a DOUBLE/)
    await writeFile(join(source, 'entities.csv'), ENTITIES)
    await writeFile(join(source, 'sites.csv'), sites)
    assert.deepEqual((await check()).problems, [
      { table: 'entities', column: 'project', message: 'the column is missing' },
    ])
  })

  it('go on where whole tables are wrong, and seal none of them', async () => {
    const entities = ENTITIES.replace('entity_key', 'project,entity_key').replace('\ngroup', '\none,group')
    const source = await write({
      'entities.csv': entities,
      'sites.csv': `project,${HEADER}one,a,pit,1,,,x\n`,
      'units.csv': 'unit;x\n',
    })
    const request = {
      tables: fromFolder(source),
      by: 'project',
      shared: 'where-missing' as const,
      projects: new Map([['one', randomUUID()]]),
    }
    const { problems, failed } = await sealer.checkMany(request)
    assert.deepEqual(
      problems.map(({ table }) => table),
      ['units'],
    )
    assert.match(String(failed[0]?.error), /^SealError: sites\.kind: line 2: "pit" is none of "mine", "mill"$/)
    await assert.rejects(sealer.sealMany(request), { name: 'SealError', message: /^units: / })
    await writeFile(join(source, 'units.csv'), 'unit\nx\n')
    await writeFile(join(source, 'sites.csv'), `project,${HEADER}one,a,mine,1,,,x\n`)
    const digested = { ...request, sourceDigest: (key: string) => `digest of ${key}`, assessmentId: () => 'a' }
    const { sealed, leftOut } = await sealer.sealMany(digested)
    const [manifest] = await snapshots().manifests(sealed[0]?.projectId ?? '')
    assert.deepEqual([manifest?.sourceDigest, manifest?.assessmentId, leftOut], ['digest of one', 'a', []])
  })

  it('read the file that is named, whatever the names of its folders look like', async () => {
    for (const name of ['hectares=7', 'entity_key=group', 'a[1]', 'a*', 'b?c', "it's"]) {
      const source = join(folder, name, 'tables')
      for (const place of [source, join(folder, 'a1', 'tables')]) await mkdir(place, { recursive: true })
      await writeFile(join(folder, 'a1', 'tables', 'sites.csv'), `${HEADER}other,mine,1,,,\n`)
      await writeFile(join(source, 'entities.csv'), ENTITIES)
      await writeFile(join(source, 'sites.csv'), `${HEADER}a,mine,1.5,,,\n`)
      const snapshots = directorySnapshots(join(source, 'snapshots'))
      const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
      const { manifest } = await sealer.seal({ projectId: randomUUID(), assessmentId: 'a', tables: fromFolder(source) })
      await sealer.close()
      const sites = manifest.tables.find(table => table.name === 'sites') ?? assert.fail('no sites')
      const sealed = tablesOf(join(source, 'snapshots'), manifest.projectId)
      const [row] = readParquetRows(await readFile(join(sealed, tableFiles(sites)[0]?.file ?? '')))
      assert.deepEqual([row?.site_key, row?.hectares], ['a', 1.5], name)
    }
  })

  it('name a table that is a folder, cannot be found, or is another format, and what else is wrong', async () => {
    const source = await write({ 'units.csv': 'unit\nt\n' })
    await mkdir(join(source, 'sites.csv'))
    await assert.rejects(sealer.check({ tables: fromFolder(source) }), {
      message: 'sites: sites.csv is a folder: put a regular file in its place',
    })
    await rm(join(source, 'sites.csv'), { recursive: true })
    await symlink(join(source, 'nowhere'), join(source, 'sites.csv'))
    await assert.rejects(sealer.check({ tables: fromFolder(source) }), {
      message: 'sites: sites.csv is a symbolic link: put a regular file in its place',
    })
  })

  it('refuse tables of different projects without a key', async () => {
    const entities = ENTITIES.replace('entity_key', 'project,entity_key').replace('\ngroup', '\none,group')
    for (const [rows, isWrong] of [
      ['one,a,mine,1,,,\n', false],
      ['two,a,mine,1,,,\n', true],
      ['one,a,mine,1,,,\n,b,mine,1,,,\n', true],
    ] as const) {
      const source = await write({ 'entities.csv': entities, 'sites.csv': `project,${HEADER}${rows}` })
      const checking = sealer.check({ tables: fromFolder(source), by: 'project' })
      if (isWrong) await assert.rejects(checking, /^SealError: sites\.project: the column holds several values/)
      else assert.equal((await checking).tables[1]?.rows, 1)
    }
  })

  it('find a sealed file that was changed, is missing, or is of another version', async () => {
    const source = await write({ 'sites.csv': `${HEADER}a,mine,1,,,\n`, 'units.csv': 'unit\nt\n' })
    const projectId = randomUUID()
    const { manifest } = await sealer.seal({ projectId, assessmentId: 'a', tables: fromFolder(source) })
    const { snapshotId } = manifest
    const verified = () => snapshots().verify(projectId, snapshotId)
    const place = manifestPath(join(folder, 'snapshots'), projectId, snapshotId)
    const tables = new Map(manifest.tables.map(table => [table.name, tableFiles(table)[0]?.file ?? '']))
    const [sites = '', units = ''] = ['sites', 'units'].map(name => tables.get(name))
    assert.deepEqual(await verified(), [])
    const other = randomUUID()
    const copy = manifestPath(join(folder, 'snapshots'), other, snapshotId)
    await mkdir(dirname(copy), { recursive: true })
    await cp(place, copy)
    const { signal } = new AbortController()
    await assert.rejects(snapshots().open(other, snapshotId, [], signal), /it is a snapshot of another project/)
    await assert.rejects(snapshots().manifests(other), /snapshot 000001-.* it is a snapshot of another project/)
    await writeFile(join(tablesOf(join(folder, 'snapshots'), projectId), sites), 'PAR1')
    await rm(join(tablesOf(join(folder, 'snapshots'), projectId), units))
    assert.deepEqual(await verified(), [`${sites} is not as it was sealed`, `${units} is missing`])
    await writeFile(place, '{"formatVersion": 99}')
    assert.deepEqual(await verified(), ['manifest.json is in a format of another version'])
    await writeFile(place, '{')
    assert.deepEqual(await verified(), ['manifest.json is not a JSON object'])
    await rm(place)
    assert.deepEqual(await verified(), ['manifest.json is missing'])
  })
})
