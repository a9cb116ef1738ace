import assert from 'node:assert/strict'
import { PROJECT, type Service, sharedService } from '../service/service.js'
import { wordsOfOurs } from '../service/words-of-ours.js'
import { brokenStatements } from '../sql/broken.js'

const AT_ONCE = 4
const RELATION = { name: 'fold_pressures', number: 'net', text: 'biome' }

describe('statements with a mistake', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  /** What a call may ask for, each of which runs other SQL around the statement. */
  const FORMS: [method: string, more: object][] = [
    ['projects/query', { page: { limit: 5 } }],
    ['projects/query', { dryRun: true }],
    ['projects/query', { include: ['columns', 'total'] }],
    ['projects/export', { format: 'csv' }],
    ['projects/export', { format: 'parquet' }],
  ]

  it('are answered in words of the caller, whatever is wrong and whatever is asked for', async () => {
    const broken = brokenStatements(RELATION, 'dash_ipbes')
    assert.ok(broken.length > 800, String(broken.length))
    const left = broken.map((sql, at) => [sql, ...(FORMS[at % FORMS.length] as [string, object])] as const)
    const found: string[] = []
    let refused = 0
    const ask = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [sql, method, more] = next
        const parameters = /\$q\b/.test(sql) ? { p: 1, q: 2 } : /\$p\b/.test(sql) ? { p: 'x' } : undefined
        const { status, body } = await service.call(method, { projectId: PROJECT, sql, parameters, ...more })
        if (status === 200) continue
        refused += 1
        const known = { sent: sql, secrets: [service.folder] }
        const words = await wordsOfOurs(`${body.message} ${JSON.stringify(body.data)}`, known)
        if (status !== 422 || words.length > 0) found.push(`${sql} (${method}): ${status} ${body.message} [${words}]`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
    assert.deepEqual(found, [])
    assert.ok(refused > 700, String(refused))
  }).timeout(120_000)

  for (const [sql, message] of [
    [
      'SELECT x.main.fold_pressures.net FROM fold_pressures',
      /"x\.main\.fold_pressures" not found!\nCandidate tables: "fold_pressures" \(/,
    ],
    [
      'SELECT x.dash_ipbes.value FROM dash_ipbes, fold_pressures',
      /Candidate tables: ("(dash_ipbes|fold_pressures)"(, )?){2} \(/,
    ],
    [
      'SELECT * FROM dash_ipbes, dash_ipbes',
      /Ambiguous reference to table "dash_ipbes" \(duplicate alias "dash_ipbes", explicitly alias/,
    ],
    [
      "SELECT apply(lambda x: x, MAP {'a': 1}) FROM dash_ipbes",
      /'apply\(\(lambda x: x\), "map"\(list_value\('a'\), list_value\(1\)\)\)'/,
    ],
    ['SELECT value! FROM dash_ipbes', /types '!\(DOUBLE\)'.*\n\s+Candidate functions:\n\s+!\(INTEGER\) -> HUGEINT/],
    ['SELECT missing FROM (SELECT [1])', /Candidate bindings: "main\.list_value\(1\)"/],
    ['SELECT percent_rank() FROM dash_ipbes', /percent_rank does not exist! \(line 1, column 8\)$/],
    [
      `SELECT '{"a": 1}'::JSON::INTERVAL FROM dash_ipbes`,
      /^The query failed: (Unable|Could not|Failed) [^\n]*(INTERVAL|source column)[^\n]*$/,
    ],
  ] as const) // prettier-ignore
    it(`says what ${sql} may have meant`, async () => {
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
      assert.match(body.message ?? '', message)
    })
})
