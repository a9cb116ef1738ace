import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import catalogue from '#assessed/catalogue.js'
import { type Cell, sheet, toCsv } from '#assessed/made-up/sheets.js'

type Cells = Readonly<Record<string, Cell>>

/** Ids of the entities of {@link writeTinyPackage}. */
export const TINY_ENTITIES = {
  group: 'eeeeeeee-0000-4000-8000-000000000001',
  half: 'eeeeeeee-0000-4000-8000-000000000002',
  joint: 'eeeeeeee-0000-4000-8000-000000000003',
  leaf: 'eeeeeeee-0000-4000-8000-000000000004',
  shell: 'eeeeeeee-0000-4000-8000-000000000005',
  idle: 'eeeeeeee-0000-4000-8000-000000000006',
}

/** The group's own share is 0.9, which must not count in its own view. */
const ENTITIES: Cells[] = [
  held('group', null, 0.9),
  held('half', 'group', 0.5),
  held('joint', 'half', 0.4),
  held('joint', 'group', 0.3),
  held('leaf', 'joint', 0.5),
  held('shell', 'group', 1),
  held('idle', 'shell', 0),
]

const TABLES: Record<string, Cells[]> = {
  entities: ENTITIES,
  sites: [
    { site_key: 's-half', entity_key: 'half', biome_num: 1 },
    { site_key: 's-joint', entity_key: 'joint', biome_num: 1 },
    { site_key: 's-leaf', entity_key: 'leaf' },
    { site_key: 's-idle', entity_key: 'idle', biome_num: 2 },
  ],
  activities: [
    { site_key: 's-half', sector_code: 'MILL', output: 10 },
    { site_key: 's-joint', sector_code: 'MILL', output: 100 },
    { site_key: 's-leaf', sector_code: 'MILL', output: 1000, reported_co2_t: 1500 },
    { site_key: 's-leaf', sector_code: 'OVEN', output: 20 },
    { site_key: 's-idle', sector_code: 'MILL', output: 7 },
  ],
  sectors: [
    { sector_code: 'MILL', activity_unit: 't' },
    { sector_code: 'OVEN', activity_unit: 't' },
  ],
  factors: [co2('MILL', 2), co2('OVEN', 5)],
  characterisation: [
    { pressure_indicator: 'co2', unit: 't', ipbes_pressure: 'climate change', species_yr_per_unit: 0.001 },
  ],
  biomes: [
    { biome_num: 1, biome: 'Forest' },
    { biome_num: 2, biome: 'Desert' },
  ],
  ecosystem_services: [{ service_code: 'WATER', service: 'Water', category: 'provisioning' }],
  dependencies: [
    { sector_code: 'MILL', service_code: 'WATER', rating: 'H', rating_value: 4 },
    { sector_code: 'OVEN', service_code: 'WATER', rating: 'VH', rating_value: 5 },
  ],
  risk_rules: [
    {
      risk_code: 'DRY',
      risk_type: 'physical',
      risk: 'Too little water',
      source_kind: 'dependency',
      source_code: 'WATER',
      exposure_basis: 'dryness',
      min_severity: 3,
    },
  ],
  exposure_scales: [
    { exposure_basis: 'dryness', key: 1, exposure: 2 },
    { exposure_basis: 'dryness', key: 2, exposure: 5 },
    { exposure_basis: 'dryness', exposure: 3 },
  ],
}

/** Writes a package with one computed project, `tiny`, that is small enough to work its figures out by hand. */
export async function writeTinyPackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const write = (name: string, columns: readonly string[], rows: readonly Cells[]) => {
    const cells = rows.map(row => columns.map(column => row[column] ?? null))
    return writeFile(join(folder, `${name}.csv`), toCsv(sheet(name, columns.join(' '), cells)))
  }
  const project = { project_key: 'tiny', project_id: 'eeeeeeee-0000-4000-8000-000000000000', state: 'computed' }
  await write('projects', Object.keys(project), [project])
  for (const relation of catalogue.relations.values()) {
    if (relation.kind === 'table')
      await write(relation.name, Object.keys(relation.columns ?? {}), TABLES[relation.name] ?? [])
  }
}

function held(entity: keyof typeof TINY_ENTITIES, parent: string | null, share: number): Cells {
  return { entity_key: entity, entity_id: TINY_ENTITIES[entity], parent_key: parent, ownership_share: share }
}

function co2(sector: string, factor: number): Cells {
  return {
    sector_code: sector,
    pressure_indicator: 'co2',
    unit: 't',
    ipbes_pressure: 'climate change',
    scope: 1,
    factor_per_activity_unit: factor,
    multiplier: 'none',
  }
}
