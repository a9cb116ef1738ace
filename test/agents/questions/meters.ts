import { groupBy, total } from '../../server/data/group.js'
import type { Made } from '../made.js'
import type { Question } from '../question.js'

const LEVELS = ['low', 'medium', 'high']
const used = (readings: Made['readings']) => total(readings, reading => reading.used)
const until = (at: string, day: string) => at.slice(0, 10) <= day

/** Questions about meters and readings. */
export const meterQuestions: readonly Question<Made>[] = [
  {
    id: 'urgent-meters',
    question: 'How many meters are of the level high?',
    careful: "SELECT count(*) AS meters FROM meters WHERE level = 'high'",
    hurried: "SELECT count(*) AS meters FROM meters WHERE level = 'HIGH'",
    kind: 'value',
    golden: ({ meters }) => [[meters.filter(({ level }) => level === 'high').length]],
  },
  {
    id: 'used-in-all',
    question: 'How much was used in all?',
    careful: 'SELECT unit, sum(used) AS used FROM readings GROUP BY unit ORDER BY unit',
    hurried: 'SELECT sum(used) AS used FROM readings',
    kind: 'unit',
    golden: ({ readings }) => [...groupBy(readings, ({ unit }) => unit)].map(([unit, own]) => [unit, used(own)]),
  },
  {
    id: 'mean-load',
    question: 'How far was each meter used, on average over the months?',
    careful: 'SELECT meter_id, avg(load_share) AS load FROM loads GROUP BY meter_id ORDER BY meter_id',
    hurried: 'SELECT meter_id, sum(load_share) AS load FROM loads GROUP BY meter_id ORDER BY meter_id',
    kind: 'additive',
    golden: ({ loads }) =>
      [...groupBy(loads, load => load.meter_id)].map(([id, own]) => [
        id,
        total(own, load => load.load_share) / own.length,
      ]),
  },
  {
    id: 'read-in-january',
    question: 'How many readings were taken in January 2025?',
    careful: `SELECT count(*) AS readings FROM readings
WHERE taken_at >= TIMESTAMP '2025-01-01 00:00:00' AND taken_at < TIMESTAMP '2025-02-01 00:00:00'`,
    hurried: "SELECT count(*) AS readings FROM readings WHERE taken_at BETWEEN '2025-01-01' AND '2025-01-31'",
    kind: 'midnight',
    golden: ({ readings }) => [[readings.filter(({ taken_at: at }) => until(at, '2025-01-31')).length]],
  },
  {
    id: 'levels-of-meters',
    question: 'How many meters are of each level, from low to high?',
    isOrdered: true,
    careful: `SELECT level, count(*) AS meters FROM meters GROUP BY level
ORDER BY list_position(['low', 'medium', 'high'], level)`,
    hurried: 'SELECT level, count(*) AS meters FROM meters GROUP BY level ORDER BY level',
    kind: 'order',
    golden: ({ meters }) => LEVELS.map(wanted => [wanted, meters.filter(({ level }) => level === wanted).length]),
  },
  {
    id: 'medium-or-more',
    question: 'How many meters are of the level medium or above?',
    careful: "SELECT count(*) AS meters FROM meters WHERE level IN ('medium', 'high')",
    hurried: "SELECT count(*) AS meters FROM meters WHERE level >= 'medium'",
    kind: 'order',
    golden: ({ meters }) => [[meters.filter(({ level }) => level !== 'low').length]],
  },
  {
    id: 'largest-meters',
    question: 'Which meters have the largest capacity? Name all that share it.',
    careful: `SELECT meter_id, capacity FROM meters
WHERE capacity = (SELECT max(capacity) FROM meters) ORDER BY meter_id`,
    hurried: 'SELECT meter_id, capacity FROM meters ORDER BY capacity DESC LIMIT 1',
    kind: 'order',
    golden: ({ meters }) => {
      const most = Math.max(...meters.map(({ capacity }) => capacity))
      return meters.filter(({ capacity }) => capacity === most).map(meter => [meter.meter_id, meter.capacity])
    },
  },
  {
    id: 'two-meters',
    question: 'Which two meters have used the most kWh, and how much?',
    isOrdered: true,
    careful: `SELECT meter_id, sum(used) AS kwh FROM readings WHERE unit = 'kWh'
GROUP BY meter_id ORDER BY kwh DESC, meter_id LIMIT 2`,
    hurried: "SELECT meter_id, sum(used) AS kwh FROM readings WHERE unit = 'kWh' GROUP BY meter_id LIMIT 2",
    kind: 'limit',
    golden: ({ readings }) =>
      [
        ...groupBy(
          readings.filter(({ unit }) => unit === 'kWh'),
          reading => reading.meter_id,
        ),
      ]
        .map(([id, own]) => [id, used(own)] as const)
        .sort(([, first], [, second]) => second - first)
        .slice(0, 2),
  },
  {
    id: 'readings-of-water',
    question: 'How much water was used on the days from 10 to 20 January 2025?',
    careful: `SELECT sum(used) AS m3 FROM readings
WHERE unit = 'm3' AND taken_at::DATE BETWEEN DATE '2025-01-10' AND DATE '2025-01-20'`,
    golden: ({ readings }) => [
      [
        used(
          readings.filter(
            ({ unit, taken_at: at }) => unit === 'm3' && !until(at, '2025-01-09') && until(at, '2025-01-20'),
          ),
        ),
      ],
    ],
  },
]
