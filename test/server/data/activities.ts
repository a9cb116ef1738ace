import { indexBy } from './group.js'
import { amount, type Cells, type PackageProject, text } from './package.js'

/** An activity with data about its site and the site's location. */
export interface PlacedActivity {
  entity: string
  site: string
  sector: string
  output: number | null
  reportedCo2: number | null
  biomeNumber: number | null
  biome: string | null
  /** Class of the remaining nature around the site. */
  nature: number | null
  /** t CO2e per MWh from the country's grid. */
  grid: number | null
}

/** Lists every activity of a project with its location. */
export function placedActivities(project: PackageProject): PlacedActivity[] {
  const index = (table: string, column: string) => indexBy(project.rows(table), row => text(row, column))
  const sites = index('sites', 'site_key')
  const biomes = index('biomes', 'biome_num')
  const ecoregions = index('ecoregions', 'ecoregion_id')
  const countries = index('countries', 'iso3')
  const at = (rows: ReadonlyMap<string, Cells>, key: string | null | undefined) => rows.get(key ?? '') ?? NOWHERE
  return project.rows('activities').map(activity => {
    const site = at(sites, text(activity, 'site_key'))
    return {
      entity: text(site, 'entity_key'),
      site: text(site, 'site_key'),
      sector: text(activity, 'sector_code'),
      output: amount(activity, 'output'),
      reportedCo2: amount(activity, 'reported_co2_t'),
      biomeNumber: amount(site, 'biome_num'),
      biome: at(biomes, site.get('biome_num')).get('biome') ?? null,
      nature: amount(at(ecoregions, site.get('ecoregion_id')), 'nnh'),
      grid: amount(at(countries, site.get('iso3')), 'grid_tco2e_per_mwh'),
    }
  })
}

const NOWHERE: Cells = new Map()
