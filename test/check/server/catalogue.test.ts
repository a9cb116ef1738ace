import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, SealError, type Sealer, type SealProblem } from 'foldgate/sealing'
import catalogue from '#assessed/catalogue.js'
import { writeMadeUpPackage } from '#assessed/made-up/package.js'
import { MUTATIONS, set } from './mutations.js'

describe('a package of the reference catalogue', () => {
  let folder: string
  let sealers: Sealer[]
  let key: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await writeMadeUpPackage(join(folder, 'package'))
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const open = (scratch: string) => openSealer({ catalogue, snapshots, folder: join(folder, scratch) })
    sealers = await Promise.all(['scratch', 'other-scratch'].map(open))
    const projects = (await readFile(join(folder, 'package', 'projects.csv'), 'utf8')).split(/\r?\n/)
    const at = projects[0]?.split(',').indexOf('project_key') ?? -1
    key = projects[1]?.split(',')[at] ?? ''
  })
  after(async () => {
    for (const sealer of sealers) await sealer.close()
    await rm(folder, { recursive: true })
  })

  const requestFor = (source: string) => ({
    tables: fromFolder(source),
    by: 'project_key',
    shared: 'where-missing' as const,
    projects: new Map([[key, randomUUID()]]),
  })

  /** Checks the tables of the project; rejects with all problems. */
  async function check(source: string, sealer = sealers[0] as Sealer): Promise<readonly SealProblem[]> {
    const { problems, checked, failed } = await sealer.checkMany(requestFor(source))
    const own = failed.flatMap(({ error }) => (error instanceof SealError ? error.problems : assert.fail(error)))
    if (problems.length + own.length > 0) throw new SealError([...problems, ...own])
    return checked[0]?.warnings ?? []
  }

  it('is sealed unchanged', async () => {
    const request = { ...requestFor(join(folder, 'package')), assessmentId: () => 'a' }
    await sealers[0]?.sealMany(request)
    const [manifest] = await directorySnapshots(join(folder, 'snapshots')).manifests(request.projects.get(key) ?? '')
    assert.ok((manifest?.tables.length ?? 0) > 15)
    assert.deepEqual(manifest?.warnings, [])
  })

  /** The package with one row of one table changed. */
  async function changed(table: string, change: (line: string[], columns: string[]) => void): Promise<string> {
    const source = await mkdtemp(join(folder, 'changed-'))
    await cp(join(folder, 'package'), source, { recursive: true })
    const [header = '', ...rows] = (await readFile(join(source, `${table}.csv`), 'utf8')).split(/\r?\n/)
    const columns = header.split(',')
    const project = columns.indexOf('project_key')
    // A row of the project without quotes, so that it can be split at its commas.
    const at = rows.findIndex(row => !row.includes('"') && (project < 0 || row.split(',')[project] === key))
    const line = rows[at]?.split(',') ?? []
    change(line, columns)
    rows[at] = line.join(',')
    await writeFile(join(source, `${table}.csv`), [header, ...rows].join('\n'))
    return source
  }

  describe('whose numbers would change', () => {
    const outcomes = new Map<string, unknown>()
    before(async function () {
      this.timeout(120_000)
      const left = [...MUTATIONS]
      const work = async (sealer: Sealer) => {
        for (let next = left.shift(); next; next = left.shift()) {
          const [what, table, change] = next
          outcomes.set(what, await check(await changed(table, change), sealer).catch((cause: unknown) => cause))
        }
      }
      await Promise.all(sealers.map(work))
    })

    for (const [what, , , told] of MUTATIONS)
      it(`is refused with ${what}`, () => {
        const error = outcomes.get(what)
        assert.ok(error instanceof SealError, String(error))
        assert.match(error.message, told)
      })
  })

  const warned: [what: string, table: string, change: (line: string[], columns: string[]) => void, RegExp][] = [
    ['an improbable year', 'activities', set('start_year', '3095'), /^start_year: line \d+: "3095" is not within 1700/],
    [
      'a rating of another value',
      'dependencies',
      set('rating', 'ND'),
      /^rating: "ND with \d" is not a rating with its value/,
    ],
    ['an output without a unit', 'activities', set('output_unit', ''), /^output_unit: NULL is the unit of outputs/],
    [
      'a missing rating',
      'dependencies',
      set('rating', ''),
      /^rating: "no rating with \d" is not a rating with its value/,
    ],
    ['an unknown source', 'factors', set('source_id', 'HEARSAY'), /^source_id: "HEARSAY" is not in sources\.source_id/],
  ]
  for (const [what, table, change, told] of warned)
    it(`is sealed with a warning about ${what}`, async () => {
      const [warning, ...others] = await check(await changed(table, change))
      assert.match(`${warning?.column}: ${warning?.message}`, told)
      assert.deepEqual([warning?.table, warning?.rows, others], [table, 1, []])
    })

  for (const [table, told] of [
    ['sites', /^activities\.site_key: ".*" and \d+ other values are not in sites\.site_key \(\d+ rows\)$/m],
    ['factors', /^activities\.sector_code: ".*" and \d+ other values are assessed, and factors has no rows/m],
    ['sectors', /^activities\.sector_code: ".*" and \d+ other values are not in sectors\.sector_code/m],
    ['exposure_scales', /^risk_rules\.exposure_basis: .* not in exposure_scales\.exposure_basis/m],
  ] as const)
    it(`is refused with the header of ${table} only`, async () => {
      const source = await changed(table, () => {})
      const [header = ''] = (await readFile(join(source, `${table}.csv`), 'utf8')).split('\n')
      await writeFile(join(source, `${table}.csv`), `${header}\n`)
      const error = await check(source).catch((cause: Error) => cause)
      assert.match((error as Error).message, told)
    })

  it('is refused with shares of an entity that add up to more than 1', async () => {
    const source = await changed('entities', () => {})
    const path = join(source, 'entities.csv')
    const [header = '', ...rows] = (await readFile(path, 'utf8')).trimEnd().split(/\r?\n/)
    const columns = header.split(',')
    const [named, parent] = ['entity_key', 'parent_key'].map(name => columns.indexOf(name)) as [number, number]
    const own = rows.map(row => row.split(',')).filter(row => row[0] === key && row.length === columns.length)
    const root = own.find(row => row[parent] === '')
    // Held by another entity as a whole, and again by the root.
    const held = own.find(row => row[parent] !== '' && row[parent] !== root?.[named])
    const again = (held ?? []).map((cell, at) => (at === parent ? (root?.[named] ?? '') : cell))
    await writeFile(path, `${[header, ...rows, again.join(',')].join('\n')}\n`)
    const error = await check(source).catch((cause: Error) => cause)
    assert.match(
      (error as Error).message,
      /^entities\.entity_key: ".*" is held with shares that add up to more than 1$/m,
    )
  })

  it('is refused with every mistake, even if a table is missing', async () => {
    const source = await mkdtemp(join(folder, 'changed-'))
    await cp(join(folder, 'package'), source, { recursive: true })
    await rm(join(source, 'biomes.csv'))
    const sites = (await readFile(join(source, 'sites.csv'), 'utf8')).trimEnd().split(/\r?\n/)
    const entity = sites[0]?.split(',').indexOf('entity_key') ?? -1
    const moved = sites.slice(1).map((row, index) => {
      const line = row.split(',')
      if (!row.includes('"')) line[entity] = `nobody-${index % 5}`
      return line.join(',')
    })
    await writeFile(join(source, 'sites.csv'), [sites[0], ...moved].join('\n'))
    const error = await check(source).catch((cause: unknown) => cause)
    assert.ok(error instanceof SealError, String(error))
    assert.match(error.message, /^biomes: biomes\.parquet or biomes\.csv is missing$/m)
    assert.match(
      error.message,
      /^sites\.entity_key: "nobody-\d", "nobody-\d", "nobody-\d"( and \d other values)? are not in entities\.entity_key \(\d+ rows\)$/m,
    )
  })
})
