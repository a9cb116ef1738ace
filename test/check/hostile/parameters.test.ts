import assert from 'node:assert/strict'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { readStatements } from '../../sql/statements.js'
import { literalsOf, withParameter } from './literals.js'

const AT_ONCE = 4
/** Literals of one statement that are replaced, each alone. */
const MOST_LITERALS = 8
/** Longer statements have the same literal many times. */
const LONGEST = 20_000
/** Classes that tell of a statement's cost: whether one of them ends it, and which, is a matter of time. */
const COSTS = new Set(['QUERY_TIMEOUT', 'QUERY_TOO_LARGE'])
/** Statements that are refused for a number or a character which no value is refused for, and which harms nobody. */
const ONLY_AS_LITERAL = new Set([
  'functions/crash-21',
  'planner/number-out-of-range',
  'planner/number-out-of-range-in-a-filter',
  'planner/nul-in-a-string',
])

/** Statements that the guard let pass once, and what they did with memory; each with what is sent for its literals. */
const ONCE_ACCEPTED = [
  "SELECT printf('%c', 200)",
  "SELECT upper(printf('%' || 'c', 200))",
  "SELECT regexp_replace('é', '\\C', '')",
  "SELECT string_split_regex('a😀', '\\B')[1]",
  "SELECT 'é' SIMILAR TO '\\C\\C'",
  "SELECT lag(j, 1, '{\"forged\": 1}, {') OVER () AS j FROM (SELECT '1'::JSON AS j)",
  "SELECT '[-NaN]'::JSON AS j",
  'SELECT repeat(chr(10), 2000)::INT',
  "SELECT date_part(repeat('a', 50000), now())",
  "SELECT struct_extract({'a': 1}, repeat('b', 50000))",
  "SELECT ago('x')",
  'SELECT ago(5)',
  "SELECT array_append(['1'::JSON], 'zz')",
  "SELECT strptime(repeat('a', 50000), '%Y')",
  'SELECT len(struct_keys(s)) FROM (SELECT NULL::STRUCT(a INTEGER) AS s, k FROM range(2048) r(k)) WHERE k > 2',
  "SELECT hex(encode(decode('A\\xF0'::BLOB, 'ignore')))",
  "SELECT upper(decode('AAAAAAAAAAAAAAAA\\xF0'::BLOB, 'ignore'))",
  'SELECT count(*) OVER (ORDER BY b ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM (VALUES (1), (NULL)) t(b)',
  'SELECT lag(v, -9223372036854775808) OVER () FROM (VALUES (1)) t(v)',
  'SELECT ntile(0) OVER () FROM (VALUES (1)) t(v)',
  'SELECT nth_value(v, -1) OVER () FROM (VALUES (1)) t(v)',
  'SELECT is_histogram_other_bin(NULL)',
  "SELECT regexp_extract('ab', '(a)(b)', NULL::VARCHAR[])",
  'SELECT quantile_cont(x, NULL::INT[]) FROM range(3) t(x)',
  'SELECT mode(NULL ORDER BY 1)',
  "SELECT approx_quantile(CAST(1.7e308 AS DOUBLE), 'nan'::FLOAT) FROM range(600) t(i) GROUP BY i % 200",
]
/** Values that no literal of the corpus has, in place of each. */
const EDGES = [
  null,
  '',
  '\u0000',
  '🌍',
  -1,
  { type: 'BIGINT', value: '-9223372036854775808' },
  { type: 'INTEGER[]', value: [] },
]

/** Where the engine itself takes no parameter. */
const NO_PLACE =
  /Parameter not (?:supported|allowed)|collations are only|Non-constant limit|Join condition for non-inner LATERAL/

interface Answer {
  class: string
  rule: unknown
  items: string
  shown: string
}

describe('a parameter in place of a literal', () => {
  let service: Service
  /** Gives a statement more time than one that runs in a second elsewhere takes on any machine. */
  let patient: Service
  before(async () => {
    service = await startService({ limits: { queryTimeoutMs: 1_000, connectionWaitMs: 60_000 } })
    patient = await startService({ limits: { queryTimeoutMs: 120_000, connectionWaitMs: 600_000 } })
  })
  after(async () => {
    await service?.close()
    await patient?.close()
  })

  async function ask(sql: string, parameters?: object, of = service): Promise<Answer> {
    const sent = { projectId: PROJECT, sql, page: { limit: 500 }, ...(parameters ? { parameters } : {}) }
    const { status, body } = await of.call('projects/query', sent)
    return {
      class: status === 200 ? 'OK' : String(body.class),
      rule: body.data?.rule,
      items: textOf(body.result?.items),
      shown: `${status} ${body.message ?? textOf(body.result?.items)}`.slice(0, 300),
    }
  }

  /** Compares each statement with itself, a parameter for one of its literals; returns those that differ. */
  async function differing(kind: 'accepted' | 'refused'): Promise<{ found: string[]; alike: number; asked: number }> {
    const statements = readStatements(kind).filter(({ id, sql }) => sql.length <= LONGEST && !ONLY_AS_LITERAL.has(id))
    const found: string[] = []
    let [alike, asked] = [0, 0]
    await each(statements, async ({ id, sql }) => {
      const literals = literalsOf(sql)
      if (literals.length === 0) return
      const written = await ask(sql)
      const step = Math.ceil(literals.length / MOST_LITERALS)
      for (const literal of literals.filter((_, at) => at % step === 0)) {
        const bound = withParameter(sql, literal)
        let answer = await ask(bound, { v: literal.sent })
        // A second is little on a busy machine: what ends with the literal has to end with the value, given time.
        if (COSTS.has(answer.class) && !COSTS.has(written.class))
          answer = await ask(bound, { v: literal.sent }, patient)
        asked += 1
        const isAlike = answer.class === written.class && (answer.class !== 'OK' || answer.items === written.items)
        if (isAlike) alike += 1
        else if (!isNoPlace(answer) && !COSTS.has(written.class))
          found.push(`${id}: ${bound.slice(0, 400)}\n  ${written.shown}\n  ${answer.shown}`)
      }
    })
    return { found, alike, asked }
  }

  /** Processes that ended by themselves, or that a fault of the engine has ended; not those that ran out of time. */
  const died = () =>
    [...service.events, ...patient.events].filter(
      event =>
        event.type === 'engine' &&
        ((event.what === 'died' && !event.detail.startsWith('SIGKILL')) ||
          (event.what === 'replaced' && event.reason === 'crash')),
    )

  it('answers as the literal does, or is refused', async () => {
    const { found, alike, asked } = await differing('accepted')
    assert.deepEqual(found, [])
    assert.ok(alike > asked / 2, `${alike} of ${asked}`)
    assert.deepEqual(died(), [])
  }).timeout(900_000)

  it('makes no statement run that is refused with the literal', async () => {
    const { found, asked } = await differing('refused')
    assert.deepEqual(found, [])
    assert.ok(asked > 1_000, String(asked))
    assert.deepEqual(died(), [])
  }).timeout(1_800_000)

  it('revives nothing that the guard let pass once, whatever its value', async () => {
    const found: string[] = []
    await each(ONCE_ACCEPTED, async sql => {
      const written = await ask(sql)
      for (const literal of literalsOf(sql))
        for (const v of [literal.sent, ...EDGES]) {
          const bound = withParameter(sql, literal)
          const thrice = async (of: Service) => {
            const first = await ask(bound, { v }, of)
            return [first, await ask(`${bound} `, { v }, of), await ask(`${bound} `, { v }, of)]
          }
          let answers = await thrice(service)
          // Those that only some of the three had the time for are all asked again, with more of it.
          if (new Set(answers.map(({ class: given }) => COSTS.has(given))).size > 1) answers = await thrice(patient)
          const isTold = answers.every(
            ({ class: given }) => given === 'OK' || given === 'INVALID_QUERY' || COSTS.has(given),
          )
          const isStable = new Set(answers.map(({ class: given, items }) => given + items)).size === 1
          const isRevived = written.class !== 'OK' && v === literal.sent && answers[0]?.class === 'OK'
          if (!isTold || !isStable || isRevived) found.push(`${bound} ${textOf(v)}: ${answers.map(each => each.shown)}`)
        }
    })
    assert.deepEqual(found, [])
    assert.deepEqual(died(), [])
  }).timeout(900_000)
})

/** Whether an answer says that no parameter can stand there. */
function isNoPlace({ class: given, rule, shown }: Answer): boolean {
  return given === 'INVALID_QUERY' && (rule !== 'engine' || NO_PLACE.test(shown))
}

async function each<Item>(items: readonly Item[], use: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await use(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** A value as JSON, unless it is nested too deep for that. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return 'too deep'
  }
}
