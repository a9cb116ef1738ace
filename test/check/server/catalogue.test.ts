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
  ['an output below zero', 'activities', set('output', '-1'), /^activities\.output: line \d+: "-1" is below 0$/],
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
    /^sites\.latitude: line \d+: "999" is not within -90 and 90$/,
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
    'an output in another unit than its sector',
    'activities',
    set('output_unit', 'MWh'),
    /^activities\.output_unit: "MWh" is not the activity_unit of the sector/,
  ],
  [
    'an unknown multiplier',
    'factors',
    set('multiplier', 'per site'),
    /^factors\.multiplier: line \d+: "per site" is none of "none", "grid", "per_site"$/,
  ],
  [
    'a factor below zero',
    'factors',
    set('factor_per_activity_unit', '-2'),
    /^factors\.factor_per_activity_unit: line \d+: "-2" is below 0$/,
  ],
  [
    'an unknown driver',
    'factors',
    set('ipbes_pressure', 'climate'),
    /^factors\.ipbes_pressure: line \d+: "climate" is none of "climate change", /,
  ],
  [
    'another driver than the indicator has',
    'factors',
    set('ipbes_pressure', 'invasive alien species'),
    /^factors\.ipbes_pressure: "invasive alien species" is not the driver that characterisation has/,
  ],
  [
    'an indicator in a unit that is not characterised',
    'factors',
    set('unit', 'lb'),
    /^factors\.pressure_indicator: ".* in lb" is not in characterisation/,
  ],
  [
    'a risk of an unknown source',
    'risk_rules',
    set('source_code', 'NOTHING'),
    /^risk_rules\.source_code: "NOTHING" is no ecosystem service/,
  ],
  [
    'a risk whose exposure has no scale',
    'risk_rules',
    set('exposure_basis', 'altitude'),
    /^risk_rules\.exposure_basis: "altitude" is not in exposure_scales\.exposure_basis$/,
  ],
  [
    'an exposure of an unknown biome',
    'exposure_scales',
    set('key', '99'),
    /^exposure_scales\.key: "99" is no biome_num \(of dryness\) or nnh/,
  ],
  [
    'a biome that is not a whole number',
    'sites',
    set('biome_num', '1.5'),
    /^sites\.biome_num: line \d+: "1\.5" is not an INTEGER$/,
  ],
  [
    'a rating beyond the scale',
    'dependencies',
    set('rating_value', '6'),
    /^dependencies\.rating_value: line \d+: "6" is not within 1 and 5$/,
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
    const { manifest } = await seal(join(folder, 'package'))
    assert.ok(manifest.tables.length > 15)
    assert.deepEqual(manifest.warnings, [])
  })

  /** The package with one row of one table changed. */
  async function changed(table: string, change: (line: string[], columns: string[]) => void): Promise<string> {
    const source = await mkdtemp(join(folder, 'changed-'))
    await cp(join(folder, 'package'), source, { recursive: true })
    const [header = '', ...rows] = (await readFile(join(source, `${table}.csv`), 'utf8')).split(/\r?\n/)
    const columns = header.split(',')
    const project = columns.indexOf(partition.column)
    // A row of the project without quotes, so that it can be split at its commas.
    const at = rows.findIndex(row => !row.includes('"') && (project < 0 || row.split(',')[project] === partition.value))
    const line = rows[at]?.split(',') ?? []
    change(line, columns)
    rows[at] = line.join(',')
    await writeFile(join(source, `${table}.csv`), [header, ...rows].join('\n'))
    return source
  }

  for (const [what, table, change, told] of MUTATIONS)
    it(`is refused with ${what}`, async () => {
      const error = await seal(await changed(table, change)).catch((cause: unknown) => cause)
      assert.ok(error instanceof SealError, String(error))
      assert.match(error.message, told)
    })

  const warned: [what: string, table: string, change: (line: string[], columns: string[]) => void, RegExp][] = [
    ['an improbable year', 'activities', set('start_year', '3095'), /^start_year: line \d+: "3095" is not within 1700/],
    [
      'a rating of another value',
      'dependencies',
      set('rating', 'ND'),
      /^rating: "ND with \d" is no rating with its value/,
    ],
    ['an unknown source', 'factors', set('source_id', 'HEARSAY'), /^source_id: "HEARSAY" is not in sources\.source_id/],
  ]
  for (const [what, table, change, told] of warned)
    it(`is sealed with a warning about ${what}`, async () => {
      const { manifest } = await seal(await changed(table, change))
      const [warning, ...others] = manifest.warnings ?? []
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
      const error = await seal(source).catch((cause: Error) => cause)
      assert.match((error as Error).message, told)
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
