import type { PlacedActivity } from './activities.js'
import { groupBy, indexBy } from './group.js'
import type { Ownership } from './ownership.js'
import { amount, type Cells, type PackageProject, text } from './package.js'

/** An expected row of `risk_rows`, unless excluded, without its share. */
export interface Risk {
  risk_code: string
  risk_type: string | null
  risk: string | null
  entity_id: string
  entity_key: string
  site_key: string
  sector_code: string
  source_code: string
  severity: number
  exposure: number
  score: number
  level: 'low' | 'medium' | 'high' | 'very high'
}

/** An expected row of `fold_risks`. */
export interface RiskTotal extends Pick<Risk, 'risk_code' | 'risk_type' | 'risk'> {
  sites: number
  max_score: number
  mean_score: number
  /** Null if every share in view is 0. */
  net_mean_score: number | null
  high_sites: number
}

/** Every risk of a project, including excluded ones, as screens total them. */
export function risksOf(project: PackageProject, ownership: Ownership, activities: readonly PlacedActivity[]): Risk[] {
  const exposureOf = exposures(project)
  const ofSector = groupBy(severities(project), ({ sector }) => sector)
  return activities.flatMap(activity =>
    (ofSector.get(activity.sector) ?? []).map(({ rule, severity }) => {
      const exposure = exposureOf(text(rule, 'exposure_basis'), activity)
      const score = severity * exposure
      return {
        risk_code: text(rule, 'risk_code'),
        risk_type: rule.get('risk_type') ?? null,
        risk: rule.get('risk') ?? null,
        entity_id: ownership.ids.get(activity.entity) ?? '',
        entity_key: activity.entity,
        site_key: activity.site,
        sector_code: activity.sector,
        source_code: text(rule, 'source_code'),
        severity,
        exposure,
        score,
        level: levelOf(score),
      }
    }),
  )
}

/** The rules that each sector meets, with the rating that meets them. */
function severities(project: PackageProject): { sector: string; rule: Cells; severity: number }[] {
  const ratings = [
    ...project.rows('dependencies').map(row => ({ row, source: `dependency|${text(row, 'service_code')}` })),
    ...project.rows('pressure_ratings').map(row => ({ row, source: `pressure|${text(row, 'pressure_code')}` })),
  ]
  return ratings.flatMap(({ row, source }) =>
    project.rows('risk_rules').flatMap(rule => {
      const severity = amount(row, 'rating_value')
      const concerned = `${text(rule, 'source_kind')}|${text(rule, 'source_code')}` === source
      if (!concerned || severity === null || severity < Number(text(rule, 'min_severity'))) return []
      return { sector: text(row, 'sector_code'), rule, severity }
    }),
  )
}

/** Exposure by basis and location; the row without a key is for locations that are not listed. */
function exposures(project: PackageProject): (basis: string, activity: PlacedActivity) => number {
  const keyOf = (row: Cells) => `${text(row, 'exposure_basis')}|${row.get('key') ?? ''}`
  const scales = indexBy(project.rows('exposure_scales'), keyOf)
  return (basis, { nature, biomeNumber }) => {
    const key = basis === 'nature_condition' ? nature : biomeNumber
    const row = scales.get(`${basis}|${key ?? ''}`) ?? scales.get(`${basis}|`)
    if (!row) throw new RangeError(`${basis} has no neutral exposure`)
    return Number(text(row, 'exposure'))
  }
}

function levelOf(score: number): Risk['level'] {
  if (score >= 20) return 'very high'
  if (score >= 12) return 'high'
  return score >= 6 ? 'medium' : 'low'
}

/** Returns whether a user excluded a risk, either everywhere or for the entity of its site. */
export function exclusionsOf(project: PackageProject): (risk: Risk) => boolean {
  const rows = project.rows('risk_exclusions')
  const excluded = new Set(rows.map(row => `${text(row, 'risk_code')}|${row.get('entity_key') ?? ''}`))
  return ({ risk_code, entity_key }) => excluded.has(`${risk_code}|`) || excluded.has(`${risk_code}|${entity_key}`)
}

/** Totals by risk over the entities of a point of view. */
export function riskTotals(all: readonly Risk[], shares: ReadonlyMap<string, number>): RiskTotal[] {
  const seen = all.filter(({ entity_key }) => shares.has(entity_key))
  return [...groupBy(seen, ({ risk_code }) => risk_code).values()].map(group => {
    const { risk_code, risk_type, risk } = group[0] as Risk
    const shareOf = ({ entity_key }: Risk) => shares.get(entity_key) ?? 0
    const weight = group.reduce((sum, each) => sum + shareOf(each), 0)
    const weighted = group.reduce((sum, each) => sum + each.score * shareOf(each), 0)
    return {
      risk_code,
      risk_type,
      risk,
      sites: countSites(group),
      max_score: group.reduce((most, { score }) => Math.max(most, score), 0),
      mean_score: group.reduce((sum, { score }) => sum + score, 0) / group.length,
      net_mean_score: weight > 0 ? weighted / weight : null,
      high_sites: countSites(group.filter(({ level }) => level === 'high' || level === 'very high')),
    }
  })
}

function countSites(group: readonly Risk[]): number {
  return new Set(group.map(({ site_key }) => site_key)).size
}
