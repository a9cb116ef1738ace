import assert from 'node:assert/strict'
import { defineCatalogue, defineFold } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'
import { catalogue } from '../../service/catalogue.js'
import { type Entries, openEntries } from '../../service/entries.js'
import { ENTITIES, KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { DATABASE, withoutMadeNames, wordsOfOurs } from '../../service/words-of-ours.js'
import { brokenStatements } from '../../sql/broken.js'
import { readStatements } from '../../sql/statements.js'
import { Draw } from '../answers/draw.js'
import { forEachBatch } from './batches.js'
import { castStatements, changedStatements, misusedFunctions, namelessStatements } from './mistakes.js'

const SEED = Number(process.env.FOLDGATE_SEED ?? 1)
const POINT = { entityId: ENTITIES.half, ownershipView: 'gross' }
/** What a call may ask for, each of which runs other SQL around the statement. */
const FORMS: readonly (readonly [method: string, more: object])[] = [
  ['projects/query', { page: { limit: 5 } }],
  ['projects/query', { dryRun: true }],
  ['projects/query', { include: ['columns', 'total'], ...POINT }],
  ...['csv', 'ndjson', 'parquet', 'xlsx', 'arrow'].map(format => ['projects/export', { format }] as const),
]
const WAYS = ['REST', 'JSON-RPC', 'WebSocket'] as const
/** How a call that is read in time may end. */
const ENDS = new Set(['OK', 'INVALID_QUERY', 'INVALID_PARAMS', 'QUERY_TOO_LARGE', 'QUERY_TIMEOUT'])

/** Statements that the guard refuses. */
const refusedStatements = () => readStatements('refused').flatMap(({ rule, sql }) => (rule === undefined ? [] : [sql]))

describe('answers to mistakes', () => {
  let service: Service
  let entries: Entries
  before(async () => {
    service = await startService({ limits: { queryTimeoutMs: 4_000 } })
    entries = openEntries(service)
  })
  after(async () => {
    await entries.close()
    await service.close()
  })

  /** What is wrong with the answer to a statement; null if nothing is. Of the values of a result, names of databases are. */
  async function ask(sql: string, at: number): Promise<{ outcome: string; wrong: string | null }> {
    const [method, more] = FORMS[at % FORMS.length] ?? assert.fail()
    const way = WAYS[at % WAYS.length] ?? assert.fail()
    const parameters = /\$p\b/.test(sql) ? { p: 'x' } : undefined
    const { outcome, message, data, result } = await entries.enter[way](
      method,
      { projectId: PROJECT, sql, parameters, ...more },
      KEYS.north,
    )
    const columns = [...Object.keys(result?.items?.[0] ?? {}), ...(result?.columns ?? []).flatMap(Object.values)]
    const failure = withoutMadeNames([message, ...Object.values(data)].join('\n'), /^Candidate .*$/gm)
    const said = [failure, withoutMadeNames(columns.join('\n'), /^.*$/gms)].join('\n')
    const words = [
      ...(await wordsOfOurs(said, { sent: sql, secrets: [service.folder] })),
      ...(JSON.stringify(result).match(DATABASE) ?? []),
    ]
    if (words.length === 0 && ENDS.has(outcome)) return { outcome, wrong: null }
    return { outcome, wrong: `${sql} (${way} ${method} ${JSON.stringify(more)}): ${outcome} ${said} [${words}]` }
  }

  for (const [what, statementsOf, least] of [
    ['changed statements', () => changedStatements(new Draw(SEED), 5), 1_500],
    ['casts', () => new Draw(SEED).some(castStatements(), 1_500), 800],
    ['calls', () => misusedFunctions(new Draw(SEED), 2), 1_200],
    ['statements that are refused', refusedStatements, 900],
    ['columns without names', namelessStatements, 0],
  ] as const)
    it(`have no word of ours: ${what}`, async () => {
      const found: string[] = []
      let failed = 0
      const statements = [...new Set(await statementsOf())]
      await forEachBatch([...statements.entries()], 4, async ([at, sql]) => {
        const { outcome, wrong } = await ask(sql, at)
        if (outcome !== 'OK') failed += 1
        if (wrong !== null) found.push(wrong)
      })
      assert.deepEqual(found, [])
      assert.ok(failed >= least, `${failed} of ${statements.length} failed`)
    }).timeout(300_000)

  it('have no word of ours: what the check of a catalogue tells of folds', async () => {
    const drawn = new Draw(SEED).some(
      brokenStatements({ name: 'amounts', number: 'amount', text: 'item' }, 'entities'),
      40,
    )
    const unpacked = 'SELECT concat(*COLUMNS(*)) FROM amounts'
    const written = [unpacked, "SELECT apply(lambda x: x, MAP {'a': item}) FROM amounts", ...drawn]
    const tables = [...catalogue.relations.values()].filter(({ name }) => ['amounts', 'entities'].includes(name))
    const folds = written.map((sql, at) =>
      defineFold({ name: `fold_${at}`, about: 'A mistake.', reads: ['amounts', 'entities'], sql }),
    )
    const { hierarchy } = catalogue
    const problems = await checkCatalogue(defineCatalogue({ hierarchy, relations: [...tables, ...folds] }))
    assert.match(
      problems.find(({ place }) => place === 'fold "fold_0"')?.message ?? '',
      /made with \*COLUMNS has a name/,
    )
    assert.ok(problems.length > 20, String(problems.length))
    for (const { message } of problems)
      assert.deepEqual([message, await wordsOfOurs(message, { sent: written.join('\n') })], [message, []])
  }).timeout(120_000)
})
