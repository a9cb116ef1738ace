import type { PlacedActivity } from './activities.js'
import { groupBy } from './group.js'
import { type PackageProject, text } from './package.js'

/** Amount of a commodity that an entity uses or makes per year, at 100 %. */
export interface CommodityAmount {
  entity_key: string
  commodity: string
  amount: number
}

/** The amounts that a screen shows, by entity and commodity. */
export function commodityAmounts(project: PackageProject, activities: readonly PlacedActivity[]): CommodityAmount[] {
  const commodities = groupBy(project.rows('commodities'), row => text(row, 'sector_code'))
  const amounts = activities.flatMap(({ entity, sector, output }) =>
    (commodities.get(sector) ?? []).flatMap(row => {
      if (output === null) return []
      const perUnit = Number(text(row, 't_per_activity_unit'))
      return { entity_key: entity, commodity: text(row, 'commodity'), amount: output * perUnit }
    }),
  )
  const groups = groupBy(amounts, ({ entity_key, commodity }) => `${entity_key}|${commodity}`)
  return [...groups.values()].map(group => ({
    ...(group[0] as CommodityAmount),
    amount: group.reduce((sum, each) => sum + each.amount, 0),
  }))
}
