import assert from 'node:assert/strict'
import { EXPORT_FORMATS } from '#lib/model.js'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { Unguarded } from './unguarded.js'

/** A string that ends within a character; the guard refuses it. */
const BROKEN = "printf('AAAAAAAAAAAAAAAA%c', 240)"
/** Places where a value has strings; `$` is the string. */
const PLACES = [
  '$',
  '[$]',
  "{'a': $}",
  'MAP {$: 1}',
  'map_from_entries([($, 1)])',
  'MAP {1: $}',
  'MAP {[$]: 1}',
  "MAP {{'a': $}: 1}",
  'MAP {$: MAP {$: [NULL]}}',
  "[{'m': MAP {$: 1}}]",
  'union_value(t := $)',
  "[$, 'é']::VARCHAR[2]",
]

/** The string comes out of a column, since maps of constants check their keys. */
const statementOf = (place: string, text: string) =>
  `SELECT ${place.replaceAll('$', 's')} AS x FROM (SELECT ${text.replace('240', 'n')} AS s FROM (VALUES (240)) t(n))`

describe('strings that are not UTF-8', () => {
  let service: Service
  let engine: Unguarded
  before(async () => {
    service = await startService()
    engine = await Unguarded.open(service, PROJECT, { queryTimeoutMs: 5_000 })
  })
  after(async () => {
    await engine.close()
    await service.close()
  })

  for (const kind of ['page', 'lines', ...EXPORT_FORMATS] as const)
    it(`leave the engine in no place of a value: ${kind}`, async () => {
      const run = (sql: string) => (kind === 'page' ? engine.run(sql) : engine.runIntoFile(sql, kind))
      for (const place of PLACES) {
        const whole = await run(statementOf(place, "'é'"))
        assert.ok('rows' in whole, `${place}: ${JSON.stringify(whole)}`)
        const broken = await run(statementOf(place, BROKEN))
        assert.ok('failure' in broken, `${place}: ${JSON.stringify(broken)}`)
        assert.match(broken.detail, /UTF-?8|unicode/i, `${place}: ${JSON.stringify(broken)}`)
      }
    }).timeout(120_000)
})
