import { defineCatalogue, defineFold, defineTable } from 'foldgate'

/** A vendor of meters, whose columns have units, orders and times of which hints tell. */
export const meters = defineCatalogue({
  relations: [
    defineTable({
      name: 'sites',
      columns: {
        site_id: 'BIGINT',
        name: 'VARCHAR',
        country: 'VARCHAR',
        risk: { type: 'VARCHAR', order: ['low', 'medium', 'high'] },
        budget: { type: 'DECIMAL(10,2)', unit: 'EUR' },
      },
      unique: ['site_id'],
    }),
    defineTable({
      name: 'meters',
      columns: { meter_id: 'BIGINT', site_id: 'BIGINT', replaced_by: 'BIGINT', kind: 'VARCHAR' },
      unique: ['meter_id'],
      references: { site_id: 'sites.site_id' },
      values: { kind: ['power', 'gas', 'steam'] },
    }),
    defineTable({
      name: 'readings',
      columns: {
        meter_id: 'BIGINT',
        taken_at: 'TIMESTAMP',
        amount: { type: 'DOUBLE', unit: { column: 'unit' } },
        unit: 'VARCHAR',
      },
      unique: ['meter_id', 'taken_at'],
      references: { meter_id: 'meters.meter_id' },
    }),
    defineTable({
      name: 'stocks',
      columns: {
        site_id: 'BIGINT',
        day: 'DATE',
        tonnes: { type: 'DOUBLE', unit: 't', additive: { over: ['site_id'] } },
        share: { type: 'DOUBLE', additive: false },
      },
      unique: ['site_id', 'day'],
      references: { site_id: 'sites.site_id' },
    }),
    defineFold({
      name: 'kinds',
      about: 'One kind of meter, with the number of meters.',
      reads: ['meters'],
      sql: 'SELECT kind, count(*) AS meters FROM meters GROUP BY kind ORDER BY kind',
      columns: { kind: 'VARCHAR', meters: 'BIGINT' },
      unique: ['kind'],
    }),
  ],
})

const SITES = [
  [1, 'Aachen', 'DE', 'high', '100.10'],
  [2, 'Bonn', 'DE', 'low', '80.05'],
  [3, 'Lyon', 'FR', 'medium', '20.00'],
  [4, 'Nice', 'FR', 'low', '7.00'],
]
const METERS = [
  [10, 1, '', 'power'],
  [11, 1, '10', 'power'],
  [12, 2, '', 'gas'],
  [13, 3, '', 'power'],
]
const DAYS = ['2024-01-30', '2024-01-31']
const csv = (header: string, rows: readonly (readonly unknown[])[]) =>
  `${[header, ...rows.map(row => row.join(','))].join('\n')}\n`

/** Its tables. */
export const METER_FILES = {
  'sites.csv': csv('site_id,name,country,risk,budget', SITES),
  'meters.csv': csv('meter_id,site_id,replaced_by,kind', METERS),
  'readings.csv': csv(
    'meter_id,taken_at,amount,unit',
    METERS.flatMap(([meter, , , kind]) =>
      DAYS.map((day, at) => [meter, `${day} 1${at}:30:00`, 5 + at, kind === 'gas' ? 'm3' : 'kWh']),
    ),
  ),
  'stocks.csv': csv(
    'site_id,day,tonnes,share',
    [1, 2].flatMap(site => DAYS.map(day => [site, day, 10 * site, 0.5])),
  ),
}
