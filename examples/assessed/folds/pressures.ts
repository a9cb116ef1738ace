import { defineFold } from 'foldgate'
import {
  amount,
  BIOME,
  count,
  DRIVER,
  ENTITY_ID,
  ENTITY_KEY,
  ISO3,
  PRESSURE_INDICATOR,
  SCOPE,
  SECTOR_CODE,
  SHARE,
  SITE_KEY,
  text,
} from '../columns.js'
import { DRIVERS } from '../tables/factors.js'

/**
 * The pressure of activity a by factor f: reported where a company reports it, else
 * computed; NULL without an output.
 */
const VALUE = `CASE WHEN f.pressure_indicator = 'co2' AND f.scope = 1 AND a.reported_co2_t IS NOT NULL
                      THEN a.reported_co2_t
                    WHEN f.multiplier = 'per_site' THEN f.factor_per_activity_unit
                    WHEN f.multiplier = 'grid'
                      THEN a.output * f.factor_per_activity_unit * a.grid_tco2e_per_mwh
                    ELSE a.output * f.factor_per_activity_unit END`

/** The pressures of activities on nature, in the units of the indicators and as loss of species. */
export const pressureFolds = [
  // A site has one entity and one biome, so site counts of entities can be added up later.
  defineFold({
    name: 'pressure_totals',
    about:
      'The whole pressure of one entity by indicator, unit, driver, biome and scope, before any ownership share.',
    internal: true,
    reads: ['placed_activities', 'factors'],
    sql: `
      SELECT entity_key, pressure_indicator, unit, ipbes_pressure, biome, scope,
             sum(value) AS value,
             count(*) FILTER (WHERE sole) + count(DISTINCT site_key) FILTER (WHERE NOT sole) AS sites
      FROM (
        SELECT a.entity_key, a.site_key, a.sole, f.pressure_indicator, f.unit, f.ipbes_pressure, f.scope,
               CASE WHEN f.scope = 1 THEN a.biome END AS biome,
               ${VALUE} AS value
        FROM placed_activities a JOIN factors f ON f.sector_code = a.sector_code)
      WHERE value IS NOT NULL
      GROUP BY entity_key, pressure_indicator, unit, ipbes_pressure, biome, scope`,
  }),
  defineFold({
    name: 'fold_pressures',
    about:
      'Total of one pressure indicator in one biome and scope, in the given unit (totals of different indicators do ' +
      'not add up). net follows ownershipView, gross always takes every entity whole, sites counts the sites behind ' +
      'it. biome is NULL in scopes 2 and 3, whose place is unknown.',
    columns: {
      pressure_indicator: PRESSURE_INDICATOR,
      unit: text('Unit of net and gross'),
      ipbes_pressure: DRIVER,
      biome: BIOME,
      scope: SCOPE,
      net: amount('Total in view, each entity at its share; as gross when the call asks for gross', {
        column: 'unit',
      }),
      gross: amount('Total in view, each entity as a whole, whatever ownershipView', { column: 'unit' }),
      sites: {
        ...count(
          'Sites behind the figure, not weighed. A site counts in each row that it adds to: to count sites over several rows, count ' +
            'the distinct site_key of pressure_rows',
        ),
        additive: false,
      },
    },
    unique: ['pressure_indicator', 'unit', 'ipbes_pressure', 'biome', 'scope'],
    references: { pressure_indicator: 'characterisation.pressure_indicator' },
    values: { ipbes_pressure: DRIVERS },
    reads: ['pressure_totals', 'point_of_view'],
    sql: `
      SELECT t.pressure_indicator, t.unit, t.ipbes_pressure, t.biome, t.scope,
             sum(t.value * p.share) AS net, sum(t.value) AS gross, CAST(sum(t.sites) AS BIGINT) AS sites
      FROM pressure_totals t JOIN point_of_view p ON p.entity_key = t.entity_key
      GROUP BY t.pressure_indicator, t.unit, t.ipbes_pressure, t.biome, t.scope
      ORDER BY t.ipbes_pressure, t.pressure_indicator, t.unit, t.scope, t.biome NULLS LAST`,
  }),
  defineFold({
    name: 'pressure_rows',
    about:
      'One pressure of one activity at its site, in the given unit. value is the whole pressure and share follows ' +
      'ownershipView: fold_pressures has the sums of value * share (net) and of value (gross). iso3 is the country of ' +
      'the site; biome is NULL in scopes 2 and 3, whose place is unknown.',
    columns: {
      pressure_indicator: PRESSURE_INDICATOR,
      unit: text('Unit of value'),
      ipbes_pressure: DRIVER,
      scope: SCOPE,
      entity_id: ENTITY_ID,
      entity_key: ENTITY_KEY,
      site_key: SITE_KEY,
      sector_code: SECTOR_CODE,
      iso3: { ...ISO3, about: `${ISO3.about}, of the site, in all scopes; NULL where it is unknown` },
      biome: BIOME,
      value: amount('The whole pressure of the activity per year, before any share', { column: 'unit' }),
      share: SHARE,
    },
    unique: ['site_key', 'sector_code', 'pressure_indicator', 'unit', 'scope'],
    references: {
      entity_key: 'fold_entities.entity_key',
      site_key: 'sites.site_key',
      sector_code: 'sectors.sector_code',
      iso3: 'countries.iso3',
      pressure_indicator: 'characterisation.pressure_indicator',
    },
    values: { ipbes_pressure: DRIVERS },
    reads: ['placed_activities', 'factors', 'point_of_view'],
    sql: `
      SELECT pressure_indicator, unit, ipbes_pressure, scope, entity_id, entity_key, site_key, sector_code, iso3, biome,
             value, share
      FROM (
        SELECT f.pressure_indicator, f.unit, f.ipbes_pressure, f.scope, a.entity_id, a.entity_key, a.site_key,
               a.sector_code, a.iso3, CASE WHEN f.scope = 1 THEN a.biome END AS biome, ${VALUE} AS value, p.share
        FROM placed_activities a
        JOIN point_of_view p ON p.entity_key = a.entity_key
        JOIN factors f ON f.sector_code = a.sector_code)
      WHERE value IS NOT NULL
      ORDER BY pressure_indicator, unit, scope, entity_key, site_key, sector_code`,
  }),
  // The five drivers are listed here so that each has a row, even without any pressure.
  defineFold({
    name: 'dash_ipbes',
    about:
      'One of the five IPBES drivers of nature loss with the damage done by way of it, in species.yr (species lost ' +
      'for a year). value follows ownershipView; it is NULL, not 0, where no pressure in view can be converted.',
    columns: {
      ipbes_pressure: DRIVER,
      value: amount(
        'Damage in view, each entity at its share, or as a whole when the call asks for gross; NULL, not 0, where no ' +
          'pressure in view can be converted',
        'species.yr',
      ),
      unit: text('Unit of value: species.yr'),
    },
    unique: ['ipbes_pressure'],
    values: { ipbes_pressure: DRIVERS, unit: ['species.yr'] },
    reads: ['fold_pressures', 'characterisation'],
    sql: `
      SELECT d.ipbes_pressure, sum(p.net * c.species_yr_per_unit) AS value, 'species.yr' AS unit
      FROM (VALUES ('climate change'), ('pollution'), ('land/sea-use change'), ('natural resource use'),
                   ('invasive alien species')) d(ipbes_pressure)
      LEFT JOIN fold_pressures p ON p.ipbes_pressure = d.ipbes_pressure
      LEFT JOIN characterisation c ON c.pressure_indicator = p.pressure_indicator AND c.unit = p.unit
      GROUP BY d.ipbes_pressure
      ORDER BY value DESC NULLS LAST, d.ipbes_pressure`,
  }),
]
