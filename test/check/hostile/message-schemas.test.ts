import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { FAILURE, OUTCOMES } from '#lib/duckdb/jobs.js'
import { HELD, RECYCLED } from '#lib/flow/messages.js'
import { VERDICT } from '#lib/guard/verdict.js'
import { fits, type Schema } from '#lib/schema.js'
import { INSPECTED, sealOutcomeOf, tenantsOutcomeOf } from '#lib/seal/job.js'
import { differencesOf } from '#transfer/comparison/difference.js'
import { FAILED, MADE, OF_ID } from '#trino/rows/messages.js'
import { placesIn, WRONG } from './liar.js'

const columns = [{ name: 'a', type: 'BIGINT' }]
const problem = { table: 't', column: 'a', message: 'wrong', rows: 1 }
const statistics = {
  rows: 1,
  columns: [{ nulls: 0, distinct: 1, values: ['1'], min: '1', max: '1', determinedBy: ['b'] }, null],
}
const table = { rows: 1, columns, guessed: ['a'], statistics, kept: 0, files: 1 }
const claim = {
  ...{ kind: 'unit', offset: 7, relation: 'r', column: 'a', operator: '<=', other: 'b' },
  operands: [{ text: 'x', offset: 1, parameter: 'p', daysAgo: 7 }],
  ...{ columns: ['a'], restricted: ['b'] },
}
const values = { a: '1', b: null }
const job = { isCheck: false, tables: [], hierarchy: null, shared: [], by: 'a', fileBytes: 1, rules: [], problems: [] }

/** Every message that a process sends with JSON in it, and values that have each of its fields. */
const MESSAGES: Record<string, [schema: Schema<unknown>, ...values: unknown[]]> = {
  held: [HELD, { heldBytes: 1 }],
  recycled: [RECYCLED, { reason: 'memory-kept', heldBytes: 1 }],
  'a page': [OUTCOMES.rows, { rows: 0, more: false, columns: ['a'] }],
  'a binding': [OUTCOMES.bind, columns],
  'a chunk': [OUTCOMES.chunk, { rows: 0, more: true, columns: ['a'], settledAt: 1 }],
  'an export': [OUTCOMES.export, { rows: 1 }],
  'a build': [OUTCOMES.build, [{ columns, statistics }]],
  'a failure': [FAILURE, { kind: 'view', text: 'x', at: 0, offset: 1, isFull: true, atBinding: false, cause: 'why' }],
  'a verdict': [
    VERDICT,
    { ok: true, relations: ['r'], parameters: ['p'], volatile: false, anyNumbers: true, claims: [claim], length: 8 },
    { ok: false, rule: 'syntax', message: 'wrong', name: 'x', line: 1, column: 1, hint: 'do' },
  ],
  'a seal': [
    sealOutcomeOf(job).schema,
    {
      problems: [problem],
      checked: { rows: [1], warnings: [problem] },
      sealed: { tables: [table, null], rootId: '00000000-0000-4000-8000-000000000000', warnings: [problem] },
    },
  ],
  tenants: [
    tenantsOutcomeOf(job).schema,
    {
      problems: [problem],
      tables: [
        { shared: table },
        {
          rows: [
            ['key', [1, 1]],
            [null, [2, 3]],
          ],
        },
      ],
    },
  ],
  'an inspection': [INSPECTED.schema, ['wrong']],
  'a comparison': [
    differencesOf({ tables: [], limit: 1 }).schema,
    [
      {
        key: ['a'],
        rows: { from: 1, to: 2, added: 1, removed: 0, changed: 0 },
        columns: {
          added: ['b'],
          removed: ['c'],
          retyped: [{ name: 'd', from: 'INTEGER', to: 'BIGINT' }],
          changed: [{ name: 'a', rows: 1 }],
        },
        shown: {
          added: [{ values, times: 1 }],
          removed: [{ values, times: 1 }],
          changed: [{ key: values, columns: [{ name: 'a', from: '1', to: null }] }],
        },
      },
    ],
  ],
  "a page of Trino's": [MADE.page, { id: 1, made: { rows: 0, more: false, columns: ['a'] } }],
  "lines of Trino's": [MADE.lines, { id: 1, made: { rows: 0, more: false, columns: ['a'] } }],
  "a failure of Trino's": [FAILED, { id: 1, failure: { kind: 'query', message: 'wrong', offset: 1, cause: 'why' } }],
  'an id': [OF_ID, { id: 1 }],
}

type Json = Readonly<Record<string, unknown>>

/** The JSON Schema with objects that have no other members, as messages have none. */
function closed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(closed)
  if (json === null || typeof json !== 'object') return json
  const members = Object.fromEntries(Object.entries(json).map(([name, each]) => [name, closed(each)]))
  return 'properties' in members ? { additionalProperties: false, ...members } : members
}

/** Names of the fields of a schema, at all depths. */
function fieldsOf(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(fieldsOf)
  if (json === null || typeof json !== 'object') return []
  const own = Object.keys((json as Json).properties ?? {})
  return [...own, ...Object.values(json).flatMap(fieldsOf)]
}

function changed(value: unknown, [at, ...rest]: readonly (string | number)[], to: { value?: unknown }): unknown {
  if (at === undefined) return to.value
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Record<string | number, unknown>
  if (rest.length > 0) copy[at] = changed(copy[at], rest, to)
  else if ('value' in to) copy[at] = to.value
  else delete copy[at]
  return copy
}

describe('the schemas of messages from processes', () => {
  const ajv = new Ajv2020({ strict: false })
  for (const [what, [schema, ...samples]] of Object.entries(MESSAGES))
    it(`take what may come and nothing else: ${what}`, () => {
      const isValid = ajv.compile(closed(schema.json) as Json)
      const named = samples.flatMap(sample => [...placesIn(sample)].map(place => place.at(-1)))
      assert.deepEqual(
        fieldsOf(schema.json).filter(name => !named.includes(name)),
        [],
        'every field has a sample',
      )
      let refused = 0
      for (const sample of samples) {
        assert.equal(fits(schema, sample), true)
        for (const place of placesIn(sample)) {
          const others = [...WRONG.map(value => ({ value })), {}]
          const more = [...place, 'more']
          const mutants = [...others.map(to => changed(sample, place, to)), changed(sample, more, { value: 1 })]
          for (const mutant of mutants) {
            if (mutant === undefined) continue // it cannot be sent
            const sent = JSON.parse(JSON.stringify(mutant)) as unknown
            const isTaken = fits(schema, sent)
            assert.equal(isTaken, isValid(sent), `${place.join('.')}: ${JSON.stringify(sent).slice(0, 200)}`)
            if (!isTaken) refused += 1
          }
        }
      }
      assert.ok(refused > WRONG.length / 2)
    })
})
