import assert from 'node:assert/strict'
import { after, before, describe, it } from 'mocha'
import { PROJECT, type Service, startService } from '../service/service.js'
import { METER_FILES, meters } from './meters.js'

/** Statements as they are written in a hurry, by the kind of hint that each deserves; the place is marked by a bar. */
const WRONG: readonly (readonly [kind: string, sql: string, says: RegExp])[] = [
  ['value', "SELECT count(*) FROM sites WHERE risk = |'High'", /did you mean 'high'/i],
  ['value', "SELECT count(*) FROM sites WHERE country = |'Germany'", /its values are DE, FR/i],
  ['value', "SELECT name FROM sites WHERE country IN (|'Germany', 'France')", /never has the value 'Germany'/],
  ['value', "SELECT name FROM sites WHERE country = 'DE' OR country = |'fr'", /did you mean 'FR'/i],
  ['value', "SELECT count(*) FILTER (WHERE kind = |'Power') FROM meters", /did you mean 'power'/i],
  ['value', "WITH own AS (SELECT * FROM sites) SELECT sum(CASE WHEN risk = |'HIGH' THEN 1 END) FROM own", /high/],
  ['value', "SELECT count(*) FROM kinds WHERE kind LIKE |'Gas'", /did you mean 'gas'/i],
  ['range', "SELECT count(*) FROM readings WHERE taken_at >= |'2024-03-01'", /to 2024-01-31 11:30:00/],
  ['range', 'SELECT count(*) FROM stocks WHERE day > current_date - INTERVAL 30 DAY', /to 2024-01-31/],
  ['value', "SELECT name FROM sites WHERE country <> |'de'", /did you mean 'DE'/i],
  ['range', 'SELECT name FROM sites WHERE budget > |1000', /to 100\.10/],
  ['range', 'SELECT name FROM sites WHERE site_id = |77', /from 1 to 4/],
  ['join', 'SELECT |sum(s.budget) FROM sites s JOIN meters m USING (site_id)', /once for each row of meters/],
  [
    'join',
    'SELECT country, |sum(budget) FROM sites, stocks WHERE sites.site_id = stocks.site_id GROUP BY country',
    /stocks/,
  ],
  ['join', 'SELECT |count(*) FROM stocks JOIN meters USING (site_id)', /pairs of rows/],
  ['unit', 'SELECT |sum(amount) FROM readings', /"unit" tells \(kWh, m3\)/],
  ['unit', "SELECT |avg(amount) FROM readings WHERE taken_at >= '2024-01-31'", /different units/],
  ['additive', 'SELECT |sum(tonnes) FROM stocks', /over "day"/],
  ['additive', 'SELECT day, |sum(share) FROM stocks GROUP BY day', /must not be summed/],
  ['null', 'SELECT name FROM sites WHERE site_id |NOT IN (SELECT replaced_by FROM meters)', /NULLs/],
  ['midnight', "SELECT count(*) FROM readings WHERE taken_at |BETWEEN '2024-01-30' AND '2024-01-31'", /has times/],
  ['midnight', "SELECT count(*) FROM readings WHERE taken_at |<= DATE '2024-01-30'", /has times/],
  ['order', 'SELECT name, risk FROM sites ORDER BY |risk', /low, medium, high/],
  ['order', "SELECT name FROM sites WHERE risk |>= 'medium'", /list_position/],
  ['order', 'SELECT |max(risk) FROM sites', /by its letters/],
  ['order', 'SELECT meter_id FROM readings ORDER BY |unit LIMIT 2', /8 rows of readings have 2/],
  ['limit', 'SELECT country, count(*) FROM sites GROUP BY country LIMIT |1', /ORDER BY/],
  ['truncation', 'SELECT median(|budget) FROM sites', /CAST\(budget AS DOUBLE\)/],
  ['truncation', 'SELECT meter_id |/ 10 * 10 AS decade, count(*) FROM meters GROUP BY ALL', /\/\//],
]

/** Statements that are right, each close to one that is not. */
const RIGHT = [
  "SELECT count(*) FROM sites WHERE risk = 'high'",
  "SELECT count(*) FROM sites WHERE lower(risk) = 'high'",
  "SELECT count(*) FROM meters WHERE kind = 'steam'",
  "SELECT name FROM sites WHERE country IN ('DE', 'IT')",
  "SELECT name FROM sites WHERE name = $name OR country = 'FR'",
  "SELECT name FROM sites WHERE name LIKE 'A%'",
  "SELECT count(*) FROM readings WHERE taken_at >= '2024-01-31'",
  'SELECT count(*) FROM stocks WHERE day > (SELECT max(day) - INTERVAL 1 DAY FROM stocks)',
  'SELECT name FROM sites WHERE budget > 100.09 AND budget < 100.2',
  'SELECT sum(r.amount) FROM readings r JOIN meters m USING (meter_id) JOIN sites s USING (site_id) GROUP BY unit',
  "SELECT s.country, sum(r.amount) FROM readings r, meters m, sites s WHERE r.meter_id = m.meter_id AND m.site_id = s.site_id AND unit = 'kWh' GROUP BY 1",
  'SELECT sum(s.budget) FROM sites s WHERE EXISTS (SELECT 1 FROM meters m WHERE m.site_id = s.site_id)',
  'SELECT sum(s.budget) FROM sites s JOIN (SELECT DISTINCT site_id FROM meters) m USING (site_id)',
  'SELECT m.meter_id, sum(s.budget) FROM sites s JOIN meters m USING (site_id) GROUP BY m.meter_id',
  'SELECT s.name, count(*) FROM sites s JOIN meters m USING (site_id) GROUP BY s.name',
  "SELECT sum(CASE WHEN s.risk = 'low' THEN 1 ELSE 0 END) FROM sites s JOIN meters m USING (site_id)",
  'SELECT count(*) FROM sites a JOIN sites b ON a.country = b.country AND a.site_id < b.site_id',
  'SELECT unit, sum(amount) FROM readings GROUP BY unit',
  "SELECT sum(amount) FILTER (WHERE unit = 'kWh') FROM readings",
  "SELECT sum(amount) FROM readings WHERE unit = 'kWh' AND meter_id IN (SELECT meter_id FROM meters)",
  "SELECT sum(CASE WHEN unit = 'kWh' THEN amount END) FROM readings",
  'SELECT count(amount), max(amount) FROM readings',
  'SELECT meter_id, sum(amount) FROM readings GROUP BY meter_id',
  'SELECT sum(amount) FROM readings WHERE meter_id IN (10, 11)',
  'SELECT m.kind, sum(r.amount) FROM readings r JOIN meters m USING (meter_id) GROUP BY m.kind',
  "SELECT sum(s.budget) FROM sites s JOIN meters m USING (site_id) WHERE m.kind = 'gas'",
  'SELECT day, sum(tonnes) FROM stocks GROUP BY day',
  'SELECT sum(tonnes) FROM stocks WHERE day = (SELECT max(day) FROM stocks)',
  "SELECT sum(tonnes) FROM stocks WHERE day = DATE '2024-01-31'",
  'SELECT sum(s.tonnes) FROM stocks s JOIN (SELECT site_id, max(day) AS day FROM stocks GROUP BY 1) l ON l.site_id = s.site_id AND l.day = s.day',
  'SELECT sum(tonnes) FROM stocks s WHERE NOT EXISTS (SELECT 1 FROM stocks n WHERE n.site_id = s.site_id AND n.day > s.day)',
  'SELECT sum(tonnes) FROM stocks s WHERE (site_id, day) IN (SELECT site_id, max(day) FROM stocks GROUP BY site_id)',
  'SELECT sum(tonnes) FROM stocks s WHERE day >= ALL (SELECT day FROM stocks)',
  'SELECT avg(tonnes) FROM stocks',
  'SELECT site_id, day, sum(share) FROM stocks GROUP BY ALL',
  'SELECT name FROM sites WHERE site_id NOT IN (SELECT site_id FROM meters)',
  'SELECT meter_id FROM meters WHERE meter_id NOT IN (SELECT replaced_by FROM meters WHERE replaced_by IS NOT NULL)',
  "SELECT count(*) FROM readings WHERE taken_at >= '2024-01-30' AND taken_at < '2024-02-01'",
  "SELECT count(*) FROM readings WHERE taken_at BETWEEN '2024-01-01' AND '2024-12-31'",
  "SELECT count(*) FROM stocks WHERE day BETWEEN '2024-01-30' AND '2024-01-31'",
  "SELECT name FROM sites ORDER BY list_position(['low', 'medium', 'high'], risk), name",
  'SELECT meter_id FROM readings ORDER BY unit, meter_id, taken_at LIMIT 2',
  'SELECT country, risk, count(*) FROM sites GROUP BY country, risk ORDER BY country, risk',
  'SELECT country, count(*) AS n FROM sites GROUP BY country ORDER BY n DESC, country LIMIT 1',
  'SELECT * FROM readings LIMIT 3',
  'SELECT count(*) FROM sites LIMIT 1',
  'SELECT median(CAST(budget AS DOUBLE)) FROM sites',
  'SELECT meter_id // 10 * 10 AS decade, count(*) FROM meters GROUP BY ALL',
  'SELECT budget / 10 * 3 FROM sites',
  "SELECT list_filter(['power', 'steel'], lambda kind: kind = 'steel') FROM meters",
  'SELECT site_id FROM sites WHERE site_id <> 77',
  "SELECT site_id FROM sites WHERE site_id = 77 OR country = 'DE'",
  "SELECT count(*) FROM sites WHERE country <> 'IT'",
  "SELECT CASE WHEN budget > 1000 THEN 'large' ELSE 'small' END AS size, count(*) FROM sites GROUP BY ALL",
  "SELECT name, list_position(['low', 'medium', 'high'], risk) AS risk FROM sites ORDER BY risk",
  'SELECT meter_id FROM meters WHERE meter_id NOT IN (SELECT replaced_by FROM meters WHERE meter_id = 11)',
  'WITH r AS (SELECT replaced_by FROM meters WHERE replaced_by > 0) SELECT meter_id FROM meters WHERE meter_id NOT IN (SELECT replaced_by FROM r)',
  "WITH gas AS (SELECT meter_id FROM meters WHERE kind = 'gas') SELECT sum(amount) FROM readings JOIN gas USING (meter_id)",
  'SELECT name FROM sites WHERE site_id = 1 LIMIT 1',
  "SELECT name FROM sites WHERE country = 'DE' LIMIT 1000",
  'SELECT country, count(*) FROM sites GROUP BY country LIMIT 100',
  'SELECT * FROM sites ORDER BY country LIMIT 100',
  'SELECT sum(s.budget) FROM sites s JOIN meters m ON m.site_id BETWEEN s.site_id AND s.site_id + 1',
  'SELECT sum(s.budget) FROM sites s LEFT JOIN meters m ON m.site_id = s.site_id WHERE m.meter_id IS NULL',
  'WITH best AS (SELECT name FROM sites ORDER BY budget DESC, site_id LIMIT 2) SELECT name FROM best LIMIT 5',
  "WITH RECURSIVE sites(risk) AS (SELECT 'low' UNION SELECT risk FROM sites WHERE risk = 'High') SELECT risk FROM sites",
]

describe('hints', () => {
  let service: Service

  before(async () => {
    service = await startService({ catalogue: meters, files: METER_FILES })
  })
  after(() => service.close())

  const ask = async (sql: string, more: object = {}) => {
    const given = sql.includes('$name') ? { parameters: { name: 'Bonn' } } : {}
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql, ...given, ...more })
    assert.equal(status, 200, `${sql}: ${body.message}`)
    return body.result as { hints?: { kind: string; message: string; at?: object; instead?: string }[] }
  }

  for (const [kind, marked, says] of WRONG)
    it(`tell of ${kind}: ${marked.replace('|', '')}`, async () => {
      const sql = marked.replace('|', '')
      const { hints = [] } = await ask(sql, { include: ['hints'] })
      assert.deepEqual(
        hints.map(hint => hint.kind),
        [kind],
        JSON.stringify(hints),
      )
      assert.match(hints[0]?.message ?? '', says)
      const place = marked.indexOf('|')
      if (place >= 0) assert.deepEqual(hints[0]?.at, { line: 1, column: place + 1 })
    })

  for (const sql of RIGHT)
    it(`are none for ${sql}`, async () => {
      assert.deepEqual((await ask(sql, { include: ['hints'] })).hints, [])
    })

  it('come first in the result, and only where they are asked for', async () => {
    const sql = WRONG[0]?.[1] ?? ''
    const plain = sql.replace('|', '')
    assert.deepEqual(Object.keys(await ask(plain, { include: ['hints'] })), ['hints', 'items'])
    assert.deepEqual(Object.keys(await ask(plain)), ['items'])
  })
})
