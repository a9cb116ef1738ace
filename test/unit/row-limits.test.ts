import assert from 'node:assert/strict'
import { type Caller, defineCatalogue, defineFold, defineTable } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'
import { admittedCaller, limitsDigest, seenRows } from '#lib/call/caller.js'
import { queryDigest } from '#lib/call/cursor.js'
import { rowLimitsOf, whyUnknown } from '#lib/catalogue/row-limits.js'

const rowLimits = { department: { type: 'BIGINT', about: 'Number of a department' }, region: { type: 'TEXT' } }
const staff = {
  name: 'staff',
  columns: { staff_id: 'BIGINT', department: 'INTEGER', region: 'VARCHAR', manager: 'BIGINT' },
  references: { manager: 'staff.staff_id' },
}
const shifts = { name: 'shifts', columns: { staff_id: 'BIGINT' }, references: { staff_id: 'staff.staff_id' } }
const HIERARCHY = { table: 'entities', key: 'key', parent: 'parent', id: 'id', share: 'share' }
const entities = {
  name: 'entities',
  columns: { key: 'VARCHAR', parent: 'VARCHAR', id: 'UUID', share: 'DOUBLE', department: 'BIGINT' },
}
const fold = { name: 'totals', about: 'One row.', reads: ['staff'], sql: 'SELECT 1 AS n' }
const tables = (...given: object[]) => given.map(each => defineTable(each as never))
const limited = (table: object, by: unknown) => ({ ...table, rowLimits: by })

const MISTAKES: [name: string, definition: object, message: RegExp][] = [
  ['a list', { rowLimits: [], relations: tables(staff) }, /^rowLimits must be names with/],
  [
    'a limit that is a type alone',
    { rowLimits: { department: 'BIGINT' }, relations: [] },
    /^rowLimits\.department: it must be \{ type, about \}/,
  ],
  [
    'a misspelt field',
    { rowLimits: { department: { typ: 'BIGINT' } }, relations: [] },
    /^rowLimits\.department: it has "typ"/,
  ],
  [
    'a type without equality',
    { rowLimits: { at: { type: 'DOUBLE' } }, relations: [] },
    /^rowLimits\.at: its type must be .*, not "DOUBLE"$/,
  ],
  ['a type that is none', { rowLimits: { at: { type: 'BIGNIT' } }, relations: [] }, /^rowLimits\.at: its type must be/],
  ['no type', { rowLimits: { at: {} }, relations: [] }, /^rowLimits\.at: its type must be/],
  ['an empty text', { rowLimits: { at: { type: 'DATE', about: '' } }, relations: [] }, /about must be a string/],
  ['a name with a space', { rowLimits: { 'a b': { type: 'DATE' } }, relations: [] }, /^rowLimits\.a b: a name is/],
  [
    'the limit that the tree brings',
    { hierarchy: HIERARCHY, rowLimits: { entities: { type: 'UUID' } }, relations: tables(entities) },
    /the hierarchy brings this limit by itself/,
  ],
  [
    'a table with an unknown limit',
    { rowLimits, relations: tables(limited(staff, { departmnet: 'department' })) },
    /^table "staff": rowLimits names "departmnet", and the limits are department, region$/,
  ],
  [
    'a table without limits to name',
    { relations: tables(limited(staff, { department: 'department' })) },
    /the catalogue has no rowLimits$/,
  ],
  [
    'a table that is for nobody',
    { rowLimits, relations: tables(limited(staff, 'nobody')) },
    /^table "staff": rowLimits must be "none", or limits/,
  ],
  ['null', { rowLimits, relations: tables(limited(staff, null)) }, /^table "staff": rowLimits must be "none"/],
  [
    'a column that is none',
    { rowLimits, relations: tables(limited(staff, { department: 'dept' })) },
    /^table "staff": rowLimits\.department must be a column, .*, not "dept"$/,
  ],
  [
    'a number',
    { rowLimits, relations: tables(limited(staff, { department: 7 })) },
    /rowLimits\.department must be a column, .*, not 7$/,
  ],
  [
    'a misspelt way',
    { rowLimits, relations: tables(limited(staff, { department: { trough: 'manager' } })) },
    /rowLimits\.department: it has "trough"/,
  ],
  [
    'a column of another type',
    { rowLimits, relations: tables(limited(staff, { department: 'region' })) },
    /is the column "region" of type VARCHAR, and its values are of type BIGINT$/,
  ],
  [
    'a way through a column without a reference',
    { rowLimits, relations: tables(limited(staff, { department: { through: 'region' } })) },
    /goes through "staff\.region", which references no table/,
  ],
  [
    'a way through a table that says nothing',
    { rowLimits, relations: tables(staff, limited(shifts, { department: { through: 'staff_id' } })) },
    /^table "shifts": .* to the table "staff", which does not say/,
  ],
  [
    'a way through a table for everybody',
    { rowLimits, relations: tables(limited(staff, 'none'), limited(shifts, { department: { through: 'staff_id' } })) },
    /to the table "staff", which does not say/,
  ],
  [
    'a way in a circle',
    { rowLimits, relations: tables(limited(staff, { department: { through: 'manager' } })) },
    /goes round in a circle: staff → staff$/,
  ],
  [
    'a fold with a column',
    { rowLimits, relations: [...tables(staff), defineFold({ ...fold, rowLimits: { department: 'n' } } as never)] },
    /^fold "totals": rowLimits of a fold is "none", or left out/,
  ],
  [
    'a tree that says what it brings',
    { hierarchy: HIERARCHY, relations: tables(limited(entities, { entities: 'key' })) },
    /by which the hierarchy limits this table itself/,
  ],
  [
    'keys of another type',
    {
      hierarchy: HIERARCHY,
      relations: tables(entities, limited({ ...shifts, references: {} }, { entities: 'staff_id' })),
    },
    /is the column "staff_id" of type BIGINT, and its values are of type VARCHAR$/,
  ],
] // prettier-ignore

describe('row limits of a catalogue', () => {
  for (const [name, definition, message] of MISTAKES)
    it(`are refused with ${name}`, () =>
      assert.throws(() => defineCatalogue(definition as never), { name: 'TypeError', message }))

  it('are those that are defined, after the one of the tree', () => {
    const found = rowLimitsOf(defineCatalogue({ hierarchy: HIERARCHY, rowLimits, relations: tables(entities) }))
    assert.deepEqual(
      [...found].map(([name, { type }]) => [name, type]),
      [
        ['entities', 'UUID'],
        ['department', 'BIGINT'],
        ['region', 'VARCHAR'],
      ],
    )
    assert.deepEqual([...rowLimitsOf(defineCatalogue({ relations: [] }))], [])
  })

  const hospital = defineCatalogue({
    hierarchy: HIERARCHY,
    rowLimits,
    pointOfView: true,
    relations: [
      ...tables(
        limited(entities, 'none'),
        limited(staff, { department: 'department', region: 'region' }),
        limited(shifts, { department: { through: 'staff_id' } }),
        limited({ name: 'days' }, 'none'),
        { name: 'secrets' },
      ),
      defineFold({ ...fold, reads: ['staff', 'days', 'point_of_view'] }),
      defineFold({ ...fold, name: 'of_secrets', reads: ['days', 'secrets'] }),
      defineFold({ ...fold, name: 'published', reads: ['of_secrets'], rowLimits: 'none' }),
      defineFold({ ...fold, name: 'of_published', reads: ['published'] }),
    ],
  })

  it('decide which relations are known, and why others are not', () => {
    const known = (...limits: string[]) =>
      hospital.summaries.map(({ name }) => name).filter(name => whyUnknown(hospital, name, limits) === null)
    const all = ['totals', 'published', 'of_published', 'point_of_view', 'entities', 'staff', 'shifts', 'days']
    assert.deepEqual(known('department'), all)
    assert.deepEqual(
      known('department', 'region'),
      all.filter(name => name !== 'shifts'),
    )
    assert.deepEqual(known('entities'), ['published', 'of_published', 'point_of_view', 'entities', 'days'])
    assert.deepEqual(
      whyUnknown(hospital, 'of_secrets', ['region']),
      'it reads "secrets": no column of the table "secrets" carries the limit "region"',
    )
  })

  it('are told by the check of the catalogue', async () => {
    const notes: string[] = []
    const small = defineCatalogue({
      rowLimits: { department: { type: 'BIGINT' } },
      relations: tables(limited(staff, { department: 'department' }), { name: 'pay', columns: { staff_id: 'BIGINT' } }),
    })
    assert.deepEqual(await checkCatalogue(small, { onNote: note => notes.push(note) }), [])
    assert.deepEqual(notes, [
      'Callers with the row limit "department" read "staff", and not "pay" (no column of the table "pay" carries the limit "department").',
    ])
  })

  const caller = (rows: unknown, more: object = {}): Caller =>
    ({ keyId: 'k', ownerId: 'o', organizations: [], only: { rows, ...more } }) as Caller

  it('are read from a caller in one form, whatever the order and the spelling', () => {
    const id = 'ABCDEF00-0000-4000-8000-000000000000'
    const read = (rows: object) => seenRows(hospital, caller(rows))?.limits
    assert.deepEqual(read({ region: ['b', 'a', 'b'], department: ['18', 17, 18], entities: [id] }), [
      { limit: 'department', type: 'BIGINT', values: ['17', '18'] },
      { limit: 'entities', type: 'UUID', values: [id.toLowerCase()] },
      { limit: 'region', type: 'VARCHAR', values: ['a', 'b'] },
    ])
    assert.deepEqual(read({ department: ['9007199254740993'] })?.[0]?.values, ['9007199254740993'])
    assert.equal(seenRows(hospital, {}), undefined)
    for (const wrong of [1.5, '1.5', '', true, 2 ** 53, '9223372036854775808'])
      assert.throws(
        () => read({ department: [wrong] }),
        /only\.rows\.department is wrong: it must be a list of values of type BIGINT/,
      )
    for (const wrong of [7, false]) assert.throws(() => read({ region: [wrong] }), /of type VARCHAR/)
    assert.throws(() => read({ entities: ['group'] }), /of type UUID/)
    assert.throws(() => read({ region: Array.from({ length: 10_001 }, String) }), /at most 10000 values/)
    const days = defineCatalogue({ rowLimits: { day: { type: 'DATE' } }, relations: [] })
    assert.deepEqual(seenRows(days, caller({ day: ['2026-11-28'] }))?.limits[0]?.values, ['2026-11-28'])
    assert.throws(() => seenRows(days, caller({ day: ['2026-02-30'] })), /of type DATE/)
  })

  it('are those that a caller had when it was answered', () => {
    const region = ['a']
    const given = caller({ region })
    const admitted = admittedCaller(hospital, given)
    region.push('b')
    Object.assign(given.only ?? {}, { rows: undefined })
    assert.deepEqual(admitted?.only?.rows, { region: ['a'] })
  })

  it('narrow the relations of a caller, and are part of what its limits, cursors and pages are bound to', () => {
    const known = (more: object) => admittedCaller(hospital, caller({ region: ['a'] }, more))?.only?.relations
    assert.deepEqual(known({ relations: ['staff', 'secrets', 'shifts'] }), ['staff'])
    const digests = [{}, { a: ['x'] }, { a: ['y'] }, { a: ['x', 'y'] }, { b: ['x'] }].map(rows =>
      limitsDigest(Object.keys(rows).length > 0 ? { only: { rows } } : {}),
    )
    assert.equal(new Set(digests).size, 5)
    assert.equal(
      limitsDigest({ only: { rows: { a: ['x', 'y'], b: [1] } } }),
      limitsDigest({ only: { rows: { b: ['1'], a: ['y', 'x', 'x'] } } }),
    )
    const asked = {
      projectId: 'p',
      sql: 'SELECT 1',
      entityId: null,
      ownershipView: 'net',
      values: '',
      relations: ['a'],
    } as const
    const seen = (digest: string) => ({ limits: [], digest })
    assert.equal(
      new Set([asked, { ...asked, rows: seen('x') }, { ...asked, rows: seen('y') }].map(queryDigest)).size,
      3,
    )
  })
})
