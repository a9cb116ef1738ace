/** Statements of tenants, typical of dashboards and analysts. */
export const MIX = [
  'SELECT * FROM dash_ipbes',
  'SELECT ipbes_pressure, scope, sum(net) AS net, sum(gross) AS gross FROM fold_pressures GROUP BY ALL ORDER BY 1, 2',
  'SELECT site_key, risk_code, score FROM risk_rows ORDER BY score DESC, site_key, risk_code LIMIT 20',
  'SELECT * FROM fold_dependencies WHERE max_rating >= 4 ORDER BY entity_key, service_code',
  'SELECT sector_code, level, count(*) AS n, avg(score) AS mean FROM risk_rows GROUP BY ALL ORDER BY 1, 2',
  `SELECT iso3, count(*) AS risks FROM risk_rows JOIN sites USING (site_key)
   GROUP BY ALL ORDER BY risks DESC, iso3 LIMIT 10`,
]
/** Relations that the mix reads. */
export const MIX_RELATIONS = ['dash_ipbes', 'fold_pressures', 'risk_rows', 'fold_dependencies', 'sites']

/** One query that reads all these relations, so that one job builds them. */
export function readingAll(relations: readonly string[]): string {
  return `SELECT ${relations.map(relation => `(SELECT count(*) FROM ${relation})`).join(', ')}`
}
