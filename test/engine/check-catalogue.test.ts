import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineFold, defineRule, defineTable } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'
import type { CheckCatalogueOptions } from '#lib/duckdb/check/check-catalogue.js'
import { SOUND } from '../service/sealed.js'

type Definition = Parameters<typeof defineCatalogue>[0]

const about = 'A row of the tests.'
const orders = defineTable({
  name: 'orders',
  columns: { order_id: 'BIGINT', total: 'DECIMAL(12,2)', state: 'VARCHAR' },
})
const customers = defineTable({ name: 'customers', columns: { order_id: 'BIGINT', country: 'VARCHAR' } })
const fold = (name: string, sql: string, more: Partial<Parameters<typeof defineFold>[0]> = {}) =>
  defineFold({ name, about, reads: ['orders'], sql, ...more })

describe('the check of a catalogue', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  after(() => rm(folder, { recursive: true }))

  /** The problems, one per line, and the notes. */
  const told = async (definition: Partial<Definition>, options: CheckCatalogueOptions = {}) => {
    const notes: string[] = []
    const catalogue = defineCatalogue({ relations: [orders, customers], ...definition })
    const found = await checkCatalogue(catalogue, { folder, onNote: note => notes.push(note), ...options })
    assert.deepEqual(await readdir(folder), [], 'scratch files are left')
    return { problems: found.map(({ place, message }) => `${place}: ${message}`), notes }
  }
  const problemsOf = async (...relations: Definition['relations']) =>
    (await told({ relations: [orders, customers, ...relations] })).problems

  it('finds nothing in catalogues that are right', async () => {
    for (const catalogue of SOUND) assert.deepEqual(await checkCatalogue(catalogue, { folder }), [])
    assert.deepEqual(await told({ relations: [] }), { problems: [], notes: [] })
  })

  it('finds SQL that the engine refuses, once, however many read it', async () => {
    const problems = await problemsOf(
      fold('wrong_column', 'SELECT totl FROM orders'),
      fold('on_wrong', 'SELECT * FROM wrong_column', { reads: ['wrong_column'] }),
      fold('on_that', 'SELECT * FROM on_wrong', { reads: ['on_wrong'] }),
      fold('wrong_syntax', 'SELEC total FROM orders', { internal: true }),
      fold('no_such_table', 'SELECT * FROM ordrs'),
      fold('right_one', 'SELECT total FROM orders'),
    )
    assert.equal(problems.length, 3)
    assert.match(problems[0] ?? '', /^fold "wrong_column": .*"totl" not found.*"total"/)
    assert.match(problems[1] ?? '', /^fold "wrong_syntax": .*syntax error at or near "SELEC"$/)
    assert.match(problems[2] ?? '', /^fold "no_such_table": .*ordrs does not exist! Did you mean "orders"\?$/)
  })

  it('finds SQL that fails whatever the rows are, reads files, or is several statements', async () => {
    const problems = await problemsOf(
      fold('no_number', "SELECT CAST('a' AS INTEGER) AS n", { reads: [] }),
      fold('of_a_file', "SELECT * FROM read_csv('/etc/passwd')", { reads: [] }),
      fold('two', 'SELECT total FROM orders; SELECT state FROM orders'),
    )
    assert.deepEqual(
      problems.map(problem => problem.replace(/(rows: ).*/, '$1…')),
      [
        'fold "no_number": its SQL fails over tables without rows: …',
        'fold "of_a_file": its SQL reads a file, or does something else that the engine does not allow',
        'fold "two": its SQL is more than one statement: write one SELECT',
      ],
    )
  })

  it('finds reads that lacks what the SQL names, also when another fold reads it', async () => {
    const problems = await problemsOf(
      fold('both', 'SELECT count(*) AS n FROM orders JOIN customers USING (order_id)', {
        reads: ['orders', 'customers'],
      }),
      fold('lacking', 'SELECT country FROM orders JOIN customers USING (order_id)'),
      fold('early', 'WITH customers AS (SELECT 1 AS n) SELECT * FROM customers, orders, late'),
      fold('itself', 'SELECT * FROM itself'),
      fold('late', 'SELECT order_id FROM orders'),
    )
    assert.deepEqual(problems, [
      `fold "lacking": its SQL names "customers", which is not in reads: write reads: ['orders', 'customers']`,
      `fold "early": its SQL names "late", which is not in reads: define "late" before it, and write reads: ['orders', 'late']`,
      'fold "itself": its SQL names "itself", which is the fold itself: it can read only what is defined before it',
    ])
  })

  it('notes what reads has and the SQL does not name', async () => {
    const unused = fold('unused', 'SELECT total FROM "Orders"', { reads: ['orders', 'customers'] })
    assert.deepEqual(await told({ relations: [orders, customers, unused] }), {
      problems: [],
      notes: ['fold "unused": its SQL does not name "customers": leave it out of reads.'],
    })
  })

  it('finds columns that differ from their description, in name, order, type or number', async () => {
    const sql = 'SELECT order_id, total FROM orders'
    const of = (name: string, columns: Record<string, string>) => fold(name, sql, { columns })
    const problems = await problemsOf(
      of('alike', { order_id: 'INT8', total: 'NUMERIC(12, 2)' }),
      of('name', { order_id: 'BIGINT', sum: 'DECIMAL(12,2)' }),
      of('order_of', { total: 'DECIMAL(12,2)', order_id: 'BIGINT' }),
      of('type', { order_id: 'INTEGER', total: 'DECIMAL(12,2)' }),
      of('fewer', { order_id: 'BIGINT' }),
      of('more', { order_id: 'BIGINT', total: 'DECIMAL(12,2)', tax: 'DOUBLE' }),
      fold('of_others', sql, { unique: ['order_id'], values: { state: ['paid'] } }),
      of('no_type', { order_id: 'BIGNIT', total: 'DECIMAL(12,2)' }),
    )
    assert.deepEqual(problems, [
      'fold "name": column 2: the SQL yields total DECIMAL(12,2), and columns has sum DECIMAL(12,2): write them alike',
      'fold "order_of": column 1: the SQL yields order_id BIGINT, and columns has total DECIMAL(12,2): write them alike',
      'fold "type": column 1: the SQL yields order_id BIGINT, and columns has order_id INTEGER: write them alike',
      'fold "fewer": column 2: the SQL yields total DECIMAL(12,2), and columns ends before it: write them alike',
      'fold "more": column 3: columns has tax DOUBLE, and the SQL yields only 2: write them alike',
      'fold "of_others": values names "state", which the SQL does not yield',
      'fold "no_type": column 1: order_id is of type "BIGNIT", which is none',
    ])
  })

  it('finds examples that the guard refuses or that fail, but not those over a fold that is wrong', async () => {
    const relations = [orders, customers, fold('wrong', 'SELECT totl FROM orders')]
    const long = `How much ${'very '.repeat(20)}much?`
    const examples = [
      { question: 'Right?', sql: 'SELECT total FROM orders;' },
      { question: 'Which relation?', sql: 'SELECT total FROM order_s' },
      { question: long, sql: 'SELECT totl FROM orders' },
      { question: 'Over a wrong fold?', sql: 'SELECT anything FROM wrong' },
      { question: 'An added function?', sql: 'SELECT decode(encode(state)) FROM orders' },
      { question: 'Where?', sql: 'SELECT * FROM orders WHERE at > 1' },
    ]
    const [first, ...problems] = (await told({ relations, examples })).problems
    assert.match(first ?? '', /^fold "wrong": /)
    assert.equal(problems.length, 4)
    assert.match(problems[0] ?? '', /^example 2 \("Which relation\?"\): .*"order_s".*Did you mean "orders"\?$/)
    assert.match(problems[1] ?? '', /^example 3 \("How much very [a-z ]*…"\): .*"totl" not found/)
    assert.match(problems[2] ?? '', /^example 5 \("An added function\?"\): .*"decode" is not available/)
    assert.match(problems[3] ?? '', /^example 6 \("Where\?"\): .*syntax error/)
    const added = await told({ relations, examples }, { guard: { functions: ['decode'] } })
    assert.deepEqual(
      added.problems.filter(problem => problem.startsWith('example 5')),
      [],
    )
  })

  it('finds measures that fail, are no aggregates, or read more than their relation', async () => {
    const measures = (of: Record<string, string>) => ({
      measures: Object.fromEntries(Object.entries(of).map(([name, sql]) => [name, { sql, about }])),
    })
    const sums = measures({ paid: 'sum(total)', share: "count(*) FILTER (WHERE state = 'paid') / count(*)" })
    const wrong = measures({
      misspelt: 'sum(totl)',
      each: 'total',
      mixed: 'sum(total) + total',
      elsewhere: '(SELECT count(*) FROM customers)',
      asked: 'sum(total) FILTER (WHERE state = $state)',
      halved: 'sum(total) / 2 --',
      closed: 'sum(total)) FROM orders) --',
      two: 'sum(total)), (max(total)',
      file: "(SELECT count(*) FROM read_text('/etc/hostname'))",
    })
    const check = async (more: object) => (await told({ relations: [{ ...orders, ...more }, customers] })).problems
    assert.deepEqual(await check(sums), [])
    const problems = await check(wrong)
    assert.deepEqual(
      problems.map(problem => problem.replace(/: .*/s, '')),
      Object.keys(wrong.measures).map(name => `measure "${name}" of orders`),
    )
    for (const [at, message] of [
      /"totl" not found/,
      /it is no aggregate, such as sum\(paid\): it has a value for each row$/,
      /"total" must appear in the GROUP BY clause/,
      /it reads customers: a measure reads its own relation alone, so write a fold$/,
      /it names a parameter, for which nobody has a value$/,
      /the check of statements refuses it: .*syntax error/,
      /the check of statements refuses it: .*syntax error/,
      /the check of statements refuses it: .*syntax error/,
      /the check of statements refuses it: .*read_text/,
    ].entries())
      assert.match(problems[at] ?? '', message)
  })

  it('suggests columns as SQL has them', async () => {
    const relations = [defineTable({ name: 'things', columns: { 'a"name': 'VARCHAR', order: 'INTEGER' } })]
    const examples = ['anme', 'ordr'].map(name => ({ question: name, sql: `SELECT ${name} FROM things` }))
    const { problems } = await told({ relations, examples })
    assert.match(problems[0] ?? '', /Candidate bindings: "a""name"/)
    assert.match(problems[1] ?? '', /Candidate bindings: "order"/)
    const pasted = [{ question: 'Pasted?', sql: 'SELECT "a""name", "order" FROM things' }]
    assert.deepEqual((await told({ relations, examples: pasted })).problems, [])
  })

  it('finds rules whose SQL fails', async () => {
    const rule = (wrong: string, reads: string[] = []) =>
      defineRule({ table: 'orders', column: 'state', wrong, reads, message: 'wrong' })
    const join = 'SELECT o.state FROM orders o ANTI JOIN customers c USING (order_id)'
    const view = fold('open_orders', 'SELECT state FROM orders')
    const rules = [
      rule('SELECT state FROM orders WHERE total < 0'),
      rule('SELECT stat FROM orders'),
      rule(join),
      rule(join, ['customers']),
      rule('SELECT state FROM open_orders'),
    ]
    const { problems } = await told({ relations: [orders, customers, view], rules })
    assert.equal(problems.length, 3)
    assert.match(problems[0] ?? '', /^rule 2 \(orders\.state\): .*"stat" not found/)
    assert.equal(
      problems[1],
      `rule 3 (orders.state): its SQL names "customers", which is not in reads: write reads: ['customers']`,
    )
    assert.equal(
      problems[2],
      'rule 5 (orders.state): its SQL names "open_orders", and the SQL of a rule reads tables alone',
    )
  })

  it('finds a hierarchy whose columns have other types than a tree', async () => {
    const columns = { key: 'VARCHAR', parent: 'VARCHAR', id: 'UUID', share: 'VARCHAR' }
    const hierarchy = { table: 'owners', key: 'key', parent: 'parent', id: 'id', share: 'share' }
    const relations = [
      defineTable({ name: 'owners', columns }),
      defineFold({ name: 'owned', about, reads: ['point_of_view'], sql: 'SELECT count(*) AS n FROM point_of_view' }),
    ]
    const { problems } = await told({ hierarchy, relations })
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', /^hierarchy: .*\(DOUBLE, VARCHAR\)/)
  })

  it('notes what only a snapshot can tell', async () => {
    const relations = [
      orders,
      defineTable({ name: 'untyped' }),
      fold('on_untyped', 'SELECT anything FROM untyped', { reads: ['untyped'] }),
      fold('pivoted', 'PIVOT orders ON state USING sum(total)'),
      fold('on_pivoted', 'SELECT paid FROM pivoted', { reads: ['pivoted'] }),
    ]
    const examples = ['untyped', 'on_untyped', 'on_pivoted'].map(name => ({
      question: name,
      sql: `SELECT x FROM ${name}`,
    }))
    const { problems, notes } = await told({ relations, examples })
    assert.deepEqual(problems, [])
    assert.equal(notes.length, 2)
    assert.match(notes[0] ?? '', /^What reads "untyped" is checked only when it is built from a snapshot/)
    assert.match(notes[1] ?? '', /^fold "pivoted": its columns are found in the rows/)
  })

  it('notes names that need quotes, all at once, and no others', async () => {
    const columns = { at: 'TIMESTAMP', Group: 'VARCHAR', 'two words': 'VARCHAR', 'a"b': 'VARCHAR', '2nd': 'VARCHAR' }
    const plain = { time: 'TIME', value: 'DOUBLE', größe: 'DOUBLE', Total: 'DOUBLE', _n: 'INTEGER' }
    const relations = [
      defineTable({ name: 'order', columns: { ...columns, ...plain } }),
      fold('selected', 'SELECT "at", 1 AS "select" FROM "order"', { reads: ['order'] }),
    ]
    // Each is a name where the note says so, and only there does the engine need quotes.
    const examples = [
      'SELECT "at", "Group", "two words", "a""b", "2nd" FROM "order"',
      'SELECT time, value, größe, total, _n FROM "order"',
      'SELECT "select" FROM selected',
    ].map(sql => ({ question: 'Quoted?', sql }))
    const { problems, notes } = await told({ relations, examples })
    assert.deepEqual(problems, [])
    assert.equal(notes.length, 1)
    const names = [...(notes[0] ?? '').matchAll(/"((?:[^"]|"")+)" \(([^)]*)\)/g)].map(([, name, places]) => [
      name,
      places,
    ])
    assert.deepEqual(
      new Map(names as [string, string][]),
      new Map([
        ['select', 'a column of selected'],
        ['at', 'a column of selected, a column of order'],
        ['order', 'a relation'],
        ['Group', 'a column of order'],
        ['two words', 'a column of order'],
        ['a""b', 'a column of order'],
        ['2nd', 'a column of order'],
      ]),
    )
  })
})
