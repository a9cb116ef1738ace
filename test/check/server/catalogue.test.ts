import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots, openSealer, SealError, type Sealer } from 'foldgate'
import { catalogue } from '#server/catalogue/index.js'
import { writeMadeUpPackage } from '#server/demo/package.js'

/** Changes to a package that would silently change its numbers, and the messages about them. */
const MUTATIONS: [what: string, file: string, change: (line: string[], columns: string[]) => void, RegExp][] = [
  [
    'an activity of an unknown sector',
    'activities',
    set('sector_code', 'NOWHERE'),
    /^activities\.sector_code: "NOWHERE" is not in sectors\.sector_code$/,
  ],
  [
    'an activity of an unknown site',
    'activities',
    set('site_key', 'nowhere'),
    /^activities\.site_key: "nowhere" is not in sites\.site_key$/,
  ],
  ['an output below zero', 'activities', set('output', '-1'), /^activities\.output: row \d+: "-1" is below 0$/],
  [
    'a site of an unknown entity',
    'sites',
    set('entity_key', 'nobody'),
    /^sites\.entity_key: "nobody" is not in entities\.entity_key$/,
  ],
  ['a site in an unknown country', 'sites', set('iso3', 'XXX'), /^sites\.iso3: "XXX" is not in countries\.iso3$/],
  [
    'a site in an unknown biome',
    'sites',
    set('biome_num', '77'),
    /^sites\.biome_num: "77" is not in biomes\.biome_num$/,
  ],
  [
    'a latitude beyond the pole',
    'sites',
    set('latitude', '999'),
    /^sites\.latitude: row \d+: "999" is not within -90 and 90$/,
  ],
  [
    'an exclusion of an unknown risk',
    'risk_exclusions',
    set('risk_code', 'R0'),
    /^risk_exclusions\.risk_code: "R0" is not in risk_rules\.risk_code$/,
  ],
  [
    'factors of an unknown sector',
    'factors',
    set('sector_code', 'NOWHERE'),
    /^factors\.sector_code: "NOWHERE" is not in sectors\.sector_code$/,
  ],
  [
    'a rating beyond the scale',
    'dependencies',
    set('rating_value', '6'),
    /^dependencies\.rating_value: row \d+: "6" is not within 1 and 5$/,
  ],
]

function set(column: string, value: string) {
  return (line: string[], columns: string[]) => {
    line[columns.indexOf(column)] = value
  }
}

describe('a package of the reference catalogue', () => {
  let folder: string
  let sealer: Sealer
  let partition: { column: string; value: string }
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await writeMadeUpPackage(join(folder, 'package'))
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    const projects = (await readFile(join(folder, 'package', 'projects.csv'), 'utf8')).split(/\r?\n/)
    const key = projects[0]?.split(',').indexOf('project_key') ?? -1
    partition = { column: 'project_key', value: projects[1]?.split(',')[key] ?? '' }
  })
  after(async () => {
    await sealer.close()
    await rm(folder, { recursive: true })
  })

  const seal = (source: string) => sealer.seal({ projectId: randomUUID(), assessmentId: 'a', source, partition })

  it('is sealed unchanged', async () => {
    assert.ok((await seal(join(folder, 'package'))).manifest.tables.length > 15)
  })

  for (const [what, table, change, told] of MUTATIONS)
    it(`is refused with ${what}`, async () => {
      const source = await mkdtemp(join(folder, 'changed-'))
      await cp(join(folder, 'package'), source, { recursive: true })
      const [header = '', ...rows] = (await readFile(join(source, `${table}.csv`), 'utf8')).split(/\r?\n/)
      const columns = header.split(',')
      const project = columns.indexOf(partition.column)
      // A row of the project without quotes, so that it can be split at its commas.
      const at = rows.findIndex(
        row => !row.includes('"') && (project < 0 || row.split(',')[project] === partition.value),
      )
      const line = rows[at]?.split(',') ?? []
      change(line, columns)
      rows[at] = line.join(',')
      await writeFile(join(source, `${table}.csv`), [header, ...rows].join('\n'))
      const error = await seal(source).catch((cause: unknown) => cause)
      assert.ok(error instanceof SealError, String(error))
      assert.match(error.message, told)
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
    const error = await seal(source).catch((cause: unknown) => cause)
    assert.ok(error instanceof SealError, String(error))
    assert.match(error.message, /^biomes: biomes\.parquet or biomes\.csv is missing$/m)
    assert.match(
      error.message,
      /^sites\.entity_key: "nobody-\d", "nobody-\d", "nobody-\d"( and \d other values)? are not in entities\.entity_key \(\d+ rows\)$/m,
    )
  })
})
