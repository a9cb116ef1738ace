import { type EntityHolder, growTree } from './companies.js'
import { PLANS, type Plan } from './plans.js'
import { madeUpId } from './random.js'
import { type Exclusion, riskCode } from './risks.js'
import { type Cell, type Sheet, sheet } from './sheets.js'
import { type Activity, placeSites, type Site } from './sites.js'

/** The drawn projects: their tables, their excluded risks by project key, and all activities. */
export interface Contents {
  sheets: Sheet[]
  exclusions: ReadonlyMap<string, readonly Exclusion[]>
  activities: readonly Activity[]
}

/** Excluded risks by project: for the whole project, or for the entity of the first site of a sector. */
const PUT_ASIDE: Record<string, { source: string; sector: string | null }[]> = {
  'brindlemoor-core': [
    { source: 'FINE_VIEW', sector: null },
    { source: 'DIRTY_SMOKE', sector: 'COAL_STEAM' },
  ],
  'tallowick-world': [{ source: 'NOISE_AND_LIGHT', sector: null }],
  'quorven-foods': [{ source: 'POLLEN_BEARERS', sector: 'FLOUR_MILL' }],
  'tallowick-power': [{ source: 'STOWAWAYS', sector: null }],
}

/** The made-up organizations. */
export const ORGANIZATIONS = [
  {
    key: 'brindlemoor',
    name: 'Brindlemoor Group (made up)',
    note: 'made up: a group of companies that looks at its own holdings',
  },
  {
    key: 'tallowick',
    name: 'Tallowick Index House (made up)',
    note: 'made up: an investor that looks at many companies',
  },
  {
    key: 'hollowmere',
    name: 'Hollowmere Partners (made up)',
    note: 'made up: an organization without a project',
  },
]

const PROJECTS = 'project_key project_id organization_key name state root_kind source_id created_at about'
const ENTITIES =
  'project_key entity_key entity_id parent_key name kind iso3 ownership_share share_basis source_ref'
const SITES =
  'project_key site_key entity_key name iso3 latitude longitude biome_num ecoregion_id biome_method source_id source_ref'
const ACTIVITIES =
  'project_key site_key sector_code capacity capacity_unit output output_unit output_basis output_prev ' +
  'reported_co2_t start_year'

/** Draws all projects of the package. */
export function drawProjects(): Contents {
  const rows: Record<'entities' | 'sites' | 'activities', Cell[][]> = {
    entities: [],
    sites: [],
    activities: [],
  }
  const exclusions = new Map<string, Exclusion[]>()
  const all: Activity[] = []
  for (const plan of PLANS) {
    const { holdings, seats } = growTree(plan)
    const { sites, activities } = placeSites(plan, seats)
    for (const holding of holdings) rows.entities.push(entityRow(plan, holding))
    for (const site of sites) rows.sites.push(siteRow(plan, site))
    for (const activity of activities) {
      rows.activities.push(activityRow(plan, activity))
      all.push(activity)
    }
    exclusions.set(plan.key, putAside(plan, activities))
  }
  const sheets = [
    sheet(
      'organizations',
      'organization_key name note',
      ORGANIZATIONS.map(({ key, name, note }) => [key, name, note]),
    ),
    sheet('projects', PROJECTS, PLANS.map(projectRow)),
    sheet('entities', ENTITIES, rows.entities),
    sheet('sites', SITES, rows.sites),
    sheet('activities', ACTIVITIES, rows.activities),
  ]
  return { sheets, exclusions, activities: all }
}

function putAside(plan: Plan, activities: readonly Activity[]): Exclusion[] {
  return (PUT_ASIDE[plan.key] ?? []).map(({ source, sector }) => {
    const first = sector && activities.find(activity => activity.sector.code === sector)
    if (sector && !first) throw new RangeError(`${plan.key}: no site of ${sector}`)
    const note = `made up: put aside for ${first ? 'one entity' : 'the whole project'}`
    return { risk: riskCode(source), entityKey: first ? first.site.entity : null, note }
  })
}

/** The id of a project: a UUID, lower case. */
export function projectId({ key }: Plan): string {
  return madeUpId(`project/${key}`)
}

function projectRow(plan: Plan): Cell[] {
  const { key, organization, name, state, rootKind, createdAt, about } = plan
  return [key, projectId(plan), organization, name, state, rootKind, 'MADEUP', createdAt, about]
}

function entityRow(plan: Plan, { key, parent, name, kind, iso3, share, basis }: EntityHolder): Cell[] {
  return [plan.key, key, madeUpId(`entity/${plan.key}/${key}`), parent, name, kind, iso3, share, basis, null]
}

function siteRow(
  plan: Plan,
  { key, entity, name, iso3, latitude, longitude, biome, ecoregion }: Site,
): Cell[] {
  const method = biome === null ? 'none' : 'made up'
  return [plan.key, key, entity, name, iso3, latitude, longitude, biome, ecoregion, method, 'MADEUP', null]
}

function activityRow(plan: Plan, activity: Activity): Cell[] {
  const { site, sector, capacity, output, earlier, reportedCo2, started } = activity
  const yearly = output === null ? [null, null, 'none'] : [output, sector.unit, 'made up: capacity x load']
  const capacityUnit = sector.unit === 'GWh' ? 'MW' : 'ttpa'
  return [plan.key, site.key, sector.code, capacity, capacityUnit, ...yearly, earlier, reportedCo2, started]
}
