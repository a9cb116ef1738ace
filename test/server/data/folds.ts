/** A fold as the catalogue documents it: the key columns, and every column with its type. */
export interface Fold {
  key: readonly string[]
  columns: readonly { name: string; type: string }[]
}

/** The folds of the reference catalogue. */
export const FOLDS = {
  dash_ipbes: fold('ipbes_pressure', 'ipbes_pressure VARCHAR, value DOUBLE, unit VARCHAR'),
  fold_pressures: fold(
    'pressure_indicator unit ipbes_pressure biome scope',
    'pressure_indicator VARCHAR, unit VARCHAR, ipbes_pressure VARCHAR, biome VARCHAR, scope INTEGER, net DOUBLE, ' +
      'gross DOUBLE, sites BIGINT',
  ),
  dependency_rows: fold(
    'site_key sector_code service_code',
    'entity_id UUID, entity_key VARCHAR, site_key VARCHAR, sector_code VARCHAR, service_code VARCHAR, service VARCHAR, ' +
      'category VARCHAR, scope INTEGER, rating VARCHAR, rating_value INTEGER, output DOUBLE, share DOUBLE',
  ),
  fold_dependencies: fold(
    'entity_key service_code',
    'entity_id UUID, entity_key VARCHAR, service_code VARCHAR, service VARCHAR, category VARCHAR, scope INTEGER, ' +
      'max_rating INTEGER, score DOUBLE, data_points BIGINT',
  ),
  risk_rows: fold(
    'risk_code site_key sector_code',
    'risk_code VARCHAR, risk_type VARCHAR, risk VARCHAR, entity_id UUID, entity_key VARCHAR, site_key VARCHAR, ' +
      'sector_code VARCHAR, source_code VARCHAR, severity INTEGER, exposure INTEGER, score INTEGER, level VARCHAR, ' +
      'share DOUBLE',
  ),
  fold_risks: fold(
    'risk_code',
    'risk_code VARCHAR, risk_type VARCHAR, risk VARCHAR, sites BIGINT, max_score INTEGER, mean_score DOUBLE, ' +
      'net_mean_score DOUBLE, high_sites BIGINT',
  ),
  fold_entities: fold(
    'entity_key',
    'entity_key VARCHAR, entity_id UUID, name VARCHAR, kind VARCHAR, iso3 VARCHAR, country VARCHAR',
  ),
  ownership_paths: fold(
    'ancestor_key entity_key',
    'ancestor_key VARCHAR, entity_key VARCHAR, depth INTEGER, share DOUBLE',
  ),
} as const satisfies Record<string, Fold>

/** Name of a fold. */
export type FoldName = keyof typeof FOLDS

/** The folds by name. */
export const FOLD_NAMES = Object.keys(FOLDS) as FoldName[]

function fold(key: string, columns: string): Fold {
  const named = columns.split(', ').map(column => {
    const [name = '', type = ''] = column.split(' ')
    return { name, type }
  })
  return { key: key.split(' '), columns: named }
}
