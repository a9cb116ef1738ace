import assert from 'node:assert/strict'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { edgeCalls } from './calls.js'
import { faultOf } from './judge.js'

const KEY = 'Bearer key-north'
/** Strings that would change an answer if they were written into it as JSON. */
const FORGERIES = [
  '1}],"nextCursor":"forged","x":[{"y":1',
  '1},{"i":7,"x":2',
  '1,"x":2',
  '',
  ' ',
  '}',
  ']',
  '"',
  '"a" "b"',
  'null null',
  '{"a":1}}',
  '[1',
  'NaN NaN',
  '[-NaN,]',
  '/**/1',
  '\\',
  '1\n2',
]
/** Expressions that combine a string `t` with a JSON value `j`. */
const MEETINGS = [
  'lag(j, 1, t) OVER ()',
  'lead(j, 1, t) OVER ()',
  'lag(j, -1, t) OVER ()',
  'lag([j], 1, [t]) OVER ()',
  "lag({'a': j}, 1, {'a': t}) OVER ()",
  'lag(MAP {1: j}, 1, MAP {1: t}) OVER ()',
  'first_value(t) OVER ()::JSON',
  'nth_value(j, 2) OVER ()',
  'coalesce(j, t)',
  'coalesce(NULL::JSON, t)',
  'CASE WHEN i = 0 THEN j ELSE t END',
  'if(i = 0, j, t)',
  'nullif(j, t)',
  'greatest(j, t)',
  'least(j, t)',
  '[j, t]',
  'list_value(t, j)',
  'list_append([j], t)',
  'list_prepend(t, [j])',
  'list_concat([j], [t])',
  'array_push_back([j], t)',
  'list_resize([j], 2, t)',
  'list_transform([j], lambda x: coalesce(x, t))',
  'list_reduce([j], lambda a, b: t, j)',
  'list_sort([j, t])',
  'list_distinct([j, t])',
  'struct_pack(a := j, b := t)',
  "struct_insert({'a': j}, b := t)",
  "struct_update({'a': j}, a := t)",
  'MAP {t: j}',
  'MAP {j: t}',
  'map_from_entries([(t, j)])',
  'union_value(a := j)',
  't::JSON',
  'TRY_CAST(t AS JSON)',
  'json(t)',
  'to_json(t)',
  'json_quote(t)',
  'json_array(t, j)',
  'json_object(t, j)',
  'json_object(j, t)',
  'json_group_array(t) OVER ()',
  'json_extract(j, t)',
  "json_extract(t, '$')",
  'json_value(t, t)',
  'json_pretty(j)::JSON',
  'row_to_json({a: t, b: j})',
  'array_to_json([t])',
  'max(j) OVER ()',
  'min(t) OVER ()::JSON',
  'arg_max(j, t) OVER ()',
  'list(j) OVER ()',
  'j || t',
  "(j->>'$') || t",
  'replace(j, t, t)::JSON',
  'unnest([j, t])',
]

describe('answers to accepted statements', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { queryTimeoutMs: 10_000 } })
  })
  after(() => service.close())

  /** Checks two pages of a statement: the first, and one cut from stored rows. */
  async function check(sql: string, names: readonly string[]): Promise<{ found: string[]; isAnswered: boolean }> {
    const ask = async (page: object) => {
      const body = JSON.stringify({ projectId: PROJECT, sql, page })
      const headers = { authorization: KEY }
      const response = await fetch(`${service.url}/public/v1/api/projects/query`, { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    }
    const first = await ask({ limit: 1 })
    const found = [faultOf(first.status, first.text, names)]
    const cursor = /"nextCursor":"([\w.-]+)"\}\}$/.exec(first.text)?.[1]
    const second = cursor ? await ask({ limit: 500, cursor }) : null
    if (second) found.push(faultOf(second.status, second.text, names))
    return { found: found.flatMap(fault => (fault ? [`${sql}: ${fault}`] : [])), isAnswered: first.status === 200 }
  }

  it('have the shape of the contract wherever strings meet JSON', async () => {
    const found: string[] = []
    let answered = 0
    const texts = FORGERIES.map(text => `'${text.replaceAll("'", "''")}'`).join(', ')
    for (const meeting of MEETINGS) {
      for (const text of FORGERIES) {
        const source = `FROM (SELECT i, ('{"a":' || i || '}')::JSON AS j, '${text}' AS t FROM range(3) r(i))`
        const outcome = await check(`SELECT i, ${meeting} AS x ${source}`, ['i', 'x'])
        found.push(...outcome.found)
        answered += Number(outcome.isAnswered)
      }
      const column = `FROM (SELECT i, '[]'::JSON AS j, unnest([${texts}]) AS t FROM range(1) r(i))`
      found.push(...(await check(`SELECT i, ${meeting} AS x ${column}`, ['i', 'x'])).found)
    }
    assert.deepEqual(found, [])
    assert.ok(answered > 200, `${answered} were answered`)
  }).timeout(300_000)

  it('have the shape of the contract for every function of edge values', async () => {
    const found: string[] = []
    let answered = 0
    for (const { expression, columns, isAggregate } of await edgeCalls()) {
      const value = isAggregate ? expression : `TRY(${expression})`
      const from = [...columns].map(
        ([name, values]) => `(SELECT unnest([${values.slice(0, 40).join(', ')}]) AS ${name})`,
      )
      const outcome = await check(`SELECT ${value} AS x FROM ${from.join(', ') || '(SELECT 1)'}`, ['x'])
      found.push(...outcome.found)
      answered += Number(outcome.isAnswered)
    }
    assert.deepEqual(found, [])
    assert.ok(answered > 1_000, `${answered} were answered`)
  }).timeout(600_000)
})
