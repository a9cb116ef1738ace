import assert from 'node:assert/strict'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { batchesOf, forEachBatch, halvesOf } from './batches.js'
import { edgeCalls } from './calls.js'
import { faultOf } from './judge.js'

const KEY = 'Bearer key-north'
const MIB = 1024 ** 2
/** Little, so that calls that use up memory or time end soon; each of the others needs a fraction of it. */
const LIMITS = { queryTimeoutMs: 4_000 }
const ENGINE = { connections: 2, spillBytes: 64 * MIB }
/** Rows of a statement that are checked: one on the first page, and the others on the second. */
const ROWS = 501
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
  'lead(j, 1, t) OVER (ORDER BY i)',
  'lag(j, -1, t) OVER (ORDER BY i)',
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
    service = await startService({ limits: LIMITS, engine: ENGINE })
  })
  after(() => service.close())

  interface Page {
    status: number
    text: string
  }
  interface Outcome {
    found: string[]
    isAnswered: boolean
    /** Whether rows of the second page are missing, since it would have been too large. */
    isCut: boolean
  }

  /** Checks two pages of a statement: the first, and one cut from stored rows. */
  async function check(sql: string, names: readonly string[]): Promise<Outcome> {
    const ask = async (page: object): Promise<Page> => {
      const body = JSON.stringify({ projectId: PROJECT, sql, page })
      const headers = { authorization: KEY }
      const response = await fetch(`${service.url}/public/v1/api/projects/query`, { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    }
    const cursorOf = (text: string) => /"nextCursor":"([\w.-]+)"\}\}$/.exec(text)?.[1]
    const first = await ask({ limit: 1 })
    const found = [faultOf(first.status, first.text, names)]
    const cursor = cursorOf(first.text)
    const second = cursor ? await ask({ limit: ROWS - 1, cursor }) : null
    if (second) found.push(faultOf(second.status, second.text, names))
    const isWhole = ({ status, text }: Page) =>
      status === 200 && (cursorOf(text) === undefined || JSON.parse(text).result.items.length === ROWS - 1)
    const told = found.flatMap(fault => (fault ? [`${sql.slice(0, 2_000)}: ${fault}`] : []))
    return { found: told, isAnswered: first.status === 200, isCut: second !== null && !isWhole(second) }
  }

  /** Checks expressions over the same rows in one statement, or in several if that one is not answered as a whole. */
  async function checkTogether(
    expressions: readonly string[],
    from: string,
    before: readonly string[] = [],
  ): Promise<{ found: string[]; answered: number }> {
    const names = expressions.map((_, index) => `x${index}`)
    const listed = expressions.map((expression, index) => `${expression} AS x${index}`)
    const sql = `SELECT ${[...before, ...listed].join(', ')} ${from}`
    const { found, isAnswered, isCut } = await check(sql, [...before, ...names])
    if (expressions.length === 1 || (isAnswered && !isCut && found.length === 0))
      return { found, answered: isAnswered ? expressions.length : 0 }
    const total = { found, answered: 0 }
    for (const half of halvesOf(expressions)) {
      const outcome = await checkTogether(half, from, before)
      total.found.push(...outcome.found)
      total.answered += outcome.answered
    }
    return total
  }

  it('have the shape of the contract wherever strings meet JSON', async () => {
    const found: string[] = []
    let answered = 0
    const literals = FORGERIES.map(text => `'${text.replaceAll("'", "''")}'`)
    const rows = (text: string) => `FROM (SELECT i, ('{"a":' || i || '}')::JSON AS j, ${text} AS t FROM range(3) r(i))`
    const every = `FROM (SELECT i, '[]'::JSON AS j, unnest([${literals.join(', ')}]) AS t FROM range(1) r(i))`
    // Meetings that take every string can share a statement; the others fail because of one string or another.
    const [together, alone]: [string[], string[]] = [[], []]
    for (const meeting of MEETINGS) {
      const outcome = await checkTogether([meeting], every, ['i'])
      found.push(...outcome.found)
      ;(outcome.answered > 0 ? together : alone).push(meeting)
    }
    await forEachBatch(literals.map(rows), ENGINE.connections, async from => {
      for (const meetings of [together, ...alone.map(meeting => [meeting])]) {
        const outcome = await checkTogether(meetings, from, ['i'])
        found.push(...outcome.found)
        answered += outcome.answered
      }
    })
    assert.deepEqual(found, [])
    assert.ok(answered > 200, `${answered} were answered`)
  }).timeout(300_000)

  it('have the shape of the contract for every function of edge values', async () => {
    const found: string[] = []
    let answered = 0
    await forEachBatch(batchesOf(await edgeCalls()), ENGINE.connections, async calls => {
      const expressions = calls.map(({ expression, isAggregate }) => (isAggregate ? expression : `TRY(${expression})`))
      const columns = [...(calls[0]?.columns ?? [])]
      const from = columns.map(([name, values]) => `(SELECT unnest([${values.slice(0, 40).join(', ')}]) AS ${name})`)
      const outcome = await checkTogether(expressions, `FROM ${from.join(', ') || '(SELECT 1)'}`)
      found.push(...outcome.found)
      answered += outcome.answered
    })
    assert.deepEqual(found, [])
    assert.ok(answered > 1_500, `${answered} were answered`)
  }).timeout(600_000)
})
