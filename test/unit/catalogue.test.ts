import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'

const HIERARCHY = { table: 'entities', key: 'key', parent: 'parent', id: 'id', share: 'share' }
const entities = defineTable({
  name: 'entities',
  columns: { key: 'VARCHAR', parent: 'VARCHAR', id: 'UUID', share: 'DOUBLE' },
})
const sites = {
  name: 'sites',
  columns: { site: 'VARCHAR', entity: 'VARCHAR', tags: 'VARCHAR[]', area: 'decimal(18, 3)' },
}
const fold = { name: 'fold', about: 'One row a site.', reads: ['entities'], sql: 'SELECT key FROM entities' }

const table = (wrong: object) => [entities, defineTable({ ...sites, ...wrong } as never)]

/** Definitions with one mistake each, and the message about it. */
const MISTAKES: [string, object, RegExp][] = [
  ['a name with capitals', { relations: table({ name: 'Sites' }) }, /relation "Sites": a name is a-z, 0-9 and _/],
  ['a name that is taken', { relations: [entities, entities] }, /relation "entities" is defined twice$/],
  ['the name of the point of view', { relations: table({ name: 'point_of_view' }) }, /"point_of_view" is built in$/],
  ['null as a relation', { relations: [null] }, /^relations\[0\] is null: is it imported/],
  ['no kind', { relations: [{ name: 'sites' }] }, /relation "sites" is neither a table nor a fold/],
  ['no columns', { relations: table({ columns: {} }) }, /table "sites": columns must be names with their types$/],
  ['columns as a list', { relations: table({ columns: ['site'] }) }, /table "sites": columns must be names/],
  ['a column without a name', { relations: table({ columns: { '': 'DATE' } }) }, /table "sites": "" is no name/],
  ['a column with a blank', { relations: table({ columns: { 'site ': 'DATE' } }) }, /"site " is no name for a column$/],
  ['about that is empty', { relations: table({ about: '' }) }, /table "sites": about must say what one row is$/],
  [
    'a meaning without a type',
    { relations: table({ columns: { site: { about: 'A site' } } }) },
    /column "site" has no type: write its SQL type, or \{ type, about, unit \}$/,
  ],
  [
    'a meaning of another name',
    { relations: table({ columns: { site: { type: 'VARCHAR', description: 'A site' } } }) },
    /column "site" has "description", which is none of type, about, unit, additive, order$/,
  ],
  [
    'lossy that is no boolean',
    { relations: table({ columns: { site: { type: 'DATE', lossy: 'yes' } } }) },
    /lossy of column "site" must be true or false, and only columns of tables have it$/,
  ],
  [
    'a lossy column of a fold',
    { relations: [entities, defineFold({ ...fold, columns: { key: { type: 'DATE', lossy: true } as never } })] },
    /lossy of column "key" must be true or false, and only columns of tables have it$/,
  ],
  [
    'a unit that is no string',
    { relations: table({ columns: { site: { type: 'VARCHAR', unit: 5 } } }) },
    /unit of column "site" must be a string$/,
  ],
  [
    'a unit in a column that there is not',
    { relations: table({ columns: { area: { type: 'DOUBLE', unit: { column: 'units' } }, unit: 'VARCHAR' } }) },
    /unit of column "area" names "units", which is no other column$/,
  ],
  [
    'a unit in the column itself',
    { relations: table({ columns: { area: { type: 'DOUBLE', unit: { column: 'area' } } } }) },
    /unit of column "area" names "area", which is no other column$/,
  ],
  [
    'a misspelt field of a unit',
    { relations: table({ columns: { area: { type: 'DOUBLE', unit: { colum: 'area' } } } }) },
    /unit of column "area": it has "colum", which is none of column$/,
  ],
  [
    'additive that is true',
    { relations: table({ columns: { area: { type: 'DOUBLE', additive: true } } }) },
    /additive of column "area" must be false, or \{ over \} with the columns over which it is summed$/,
  ],
  [
    'additive over nothing',
    { relations: table({ columns: { area: { type: 'DOUBLE', additive: { over: [] } } } }) },
    /additive of column "area" must be false, or \{ over \}/,
  ],
  [
    'additive over a column that there is not',
    { relations: table({ columns: { area: { type: 'DOUBLE', additive: { over: ['day'] } } } }) },
    /additive of column "area" names "day", which is no column$/,
  ],
  [
    'measures of an internal fold',
    {
      relations: [
        entities,
        defineFold({ ...fold, internal: true, measures: { total: { sql: 'count(*)', about: 'All' } } }),
      ],
    },
    /fold "fold": it has measures, which callers of an internal fold never see$/,
  ],
  [
    'measures in a list',
    { relations: table({ measures: [] as never }) },
    /measures must be names with \{ sql, about, unit \}$/,
  ],
  [
    'a measure that is its SQL alone',
    { relations: table({ measures: { total: 'sum(area)' as never } }) },
    /measures\.total must be \{ sql, about, unit \}$/,
  ],
  [
    'a measure with a name for people',
    { relations: table({ measures: { 'Total area': { sql: 'sum(area)', about: 'All' } } }) },
    /measures\.Total area: a name is a-z, 0-9 and _, and begins with a letter$/,
  ],
  [
    'a measure with the name of a column',
    { relations: table({ columns: { Area: 'DOUBLE' }, measures: { area: { sql: 'sum("Area")', about: 'All' } } }) },
    /measures\.area has the name of a column, so that nobody knows which of the two is meant$/,
  ],
  [
    'a measure without SQL',
    { relations: table({ measures: { total: { sql: '', about: 'All' } } }) },
    /measures\.total\.sql must be an aggregate, such as sum\(paid\)$/,
  ],
  [
    'a measure that says nothing',
    { relations: table({ measures: { total: { sql: 'sum(area)' } as never } }) },
    /measures\.total\.about must say what the number is$/,
  ],
  [
    'a measure in the unit of a column',
    {
      relations: table({ measures: { total: { sql: 'sum(area)', about: 'All', unit: { column: 'site' } as never } } }),
    },
    /measures\.total\.unit must be a string$/,
  ],
  [
    'a misspelt field of a measure',
    { relations: table({ measures: { total: { sql: 'sum(area)', about: 'All', units: 'ha' } as never } }) },
    /measures\.total: it has "units", which is none of sql, about, unit$/,
  ],
  [
    'an order with a value twice',
    { relations: table({ columns: { site: { type: 'VARCHAR', order: ['low', 'low'] } } }) },
    /order of column "site" must be a list of different strings, the least first$/,
  ],
  [
    'an order of numbers',
    { relations: table({ columns: { area: { type: 'DOUBLE', order: ['1', '2'] } } }) },
    /order of column "area" is of type DOUBLE, and only strings have an order of their own$/,
  ],
  [
    'a misspelt field of a table',
    { relations: table({ uniqe: [] }) },
    /table "sites": it has "uniqe", which is none of/,
  ],
  ['optional that is a string', { relations: table({ optional: 'no' }) }, /"sites": optional must be true or false$/],
  [
    'two columns that differ in case',
    { relations: table({ columns: { site: 'VARCHAR', Site: 'VARCHAR' } }) },
    /table "sites": two columns have the name "Site", which SQL does not tell apart$/,
  ],
  [
    'a type of another database',
    { relations: table({ columns: { site: 'STRING' } }) },
    /column "site" is of type "STRING", which is none: write VARCHAR$/,
  ],
  [
    'a list of a type of another database',
    { relations: table({ columns: { site: 'STRING[]' } }) },
    /column "site" is of type "STRING\[\]", which is none: write VARCHAR\[\]$/,
  ],
  [
    'a misspelt type',
    { relations: table({ columns: { site: 'INTEGR' } }) },
    /column "site" is of type "INTEGR", which is none: write INTEGER$/,
  ],
  [
    'a range of another end',
    { relations: table({ columns: { site: 'INTEGER' }, ranges: { site: { min: 1 } } }) },
    /table "sites": ranges\.site: it has "min", which is none of least, most$/,
  ],
  [
    'a range of strings in a column',
    { relations: table({ columns: { site: 'VARCHAR' }, ranges: { site: { least: 1 } } }) },
    /ranges\.site is of type VARCHAR, and only numbers have ranges$/,
  ],
  [
    'a list of values of numbers',
    { relations: table({ columns: { site: 'INTEGER' }, values: { site: ['1'] } }) },
    /values\.site is of type INTEGER, and only strings have lists of values$/,
  ],
  ['a relation that is not imported', { relations: [undefined] }, /^relations\[0\] is undefined: is it imported/],
  [
    'an unknown type',
    { relations: table({ columns: { site: 'VARCHR' } }) },
    /"sites": column "site" is of type "VARCHR", which is none: write VARCHAR$/,
  ],
  [
    'a type with more',
    { relations: table({ columns: { site: 'DATE) AS x --' } }) },
    /column "site" is of type "DATE\) AS x --"/,
  ],
  [
    'a type that is no string',
    { relations: table({ columns: { site: 7 } }) },
    /column "site" is of type "7", which is none$/,
  ],
  [
    'a DECIMAL too wide',
    { relations: table({ columns: { site: 'DECIMAL(39,2)' } }) },
    /"DECIMAL\(39,2\)", which is none$/,
  ],
  [
    'a scale over its width',
    { relations: table({ columns: { site: 'DECIMAL(4,5)' } }) },
    /"DECIMAL\(4,5\)", which is none$/,
  ],
  ['a date with a zone', { relations: table({ columns: { site: 'DATE WITH TIME ZONE' } }) }, /which is none$/],
  [
    'a typo in required',
    { relations: table({ required: ['sitte'] }) },
    /table "sites": required names "sitte", which is no column$/,
  ],
  [
    'what every object has',
    { relations: table({ required: ['toString'] }) },
    /required names "toString", which is no column$/,
  ],
  [
    'a typo in unique',
    { relations: table({ unique: ['site', 'sitte'] }) },
    /table "sites": unique names "sitte", which is no column$/,
  ],
  ['a column twice in unique', { relations: table({ unique: ['site', 'site'] }) }, /unique names "site" twice$/],
  ['unique as a string', { relations: table({ unique: 'site' }) }, /table "sites": unique must be a list of columns$/],
  [
    'ranges as a list',
    { relations: table({ ranges: [0, 1] }) },
    /table "sites": ranges must be columns with the least/,
  ],
  [
    'a range of no column',
    { relations: table({ ranges: { are: { least: 0 } } }) },
    /ranges names "are", which is no column$/,
  ],
  [
    'a range without an end',
    { relations: table({ ranges: { entity: {} } }) },
    /ranges\.entity must have a least or a most$/,
  ],
  [
    'a range upside down',
    { relations: table({ columns: { entity: 'BIGINT' }, ranges: { entity: { least: 1, most: 0 } } }) },
    /ranges\.entity must have numbers as least or most, the least not above the most$/,
  ],
  [
    'a range of strings',
    { relations: table({ columns: { entity: 'BIGINT' }, ranges: { entity: { least: '0' } } }) },
    /ranges\.entity must have numbers as least or most/,
  ],
  [
    'references as a list',
    { relations: table({ references: ['entity'] }) },
    /table "sites": references must be columns/,
  ],
  [
    'a reference from nowhere',
    { relations: table({ references: { entitty: 'entities.key' } }) },
    /references names "entitty", which is no column$/,
  ],
  [
    'a reference to a table alone',
    { relations: table({ references: { entity: 'entities' } }) },
    /references.entity must be "table.column", not "entities"$/,
  ],
  [
    'a reference to no table',
    { relations: table({ references: { entity: 'entitis.key' } }) },
    /table "sites": references.entity is "entitis.key", and "entitis" is not a table of the catalogue$/,
  ],
  [
    'a reference to no column',
    { relations: table({ references: { entity: 'entities.kye' } }) },
    /references.entity is "entities.kye", and table "entities" has no column "kye"$/,
  ],
]

describe('defineCatalogue', () => {
  for (const [name, wrong, message] of MISTAKES)
    it(`refuses ${name}, and names the place`, () => {
      assert.throws(
        () => defineCatalogue({ hierarchy: HIERARCHY, relations: [entities], ...wrong } as never),
        (error: unknown) => error instanceof TypeError && message.test(error.message),
      )
    })

  it('accepts references to later tables, tables without columns, folds of folds and every type', () => {
    const types = [
      'TIMESTAMP WITH TIME ZONE',
      'time with time zone',
      'DECIMAL(38,0)',
      'NUMERIC(9)',
      'INTEGER[3]',
      'DATE[][]',
    ]
    const columns = Object.fromEntries(types.map((type, index) => [`c${index}`, type]))
    const { relations, examples } = defineCatalogue({
      hierarchy: { ...HIERARCHY, table: 'owners' },
      relations: [
        defineTable({
          ...sites,
          references: { entity: 'entities.key' },
          required: ['site'],
          unique: ['site', 'entity'],
        }),
        entities,
        defineTable({ name: 'owners', required: ['anything'], references: { anything: 'sites.site' } }),
        defineTable({ name: 'wide', columns }),
        defineFold(fold),
        defineFold({ ...fold, name: 'again', reads: ['fold', 'point_of_view'] }),
      ],
    })
    assert.deepEqual([...relations.keys()], ['sites', 'entities', 'owners', 'wide', 'fold', 'again'])
    assert.deepEqual(examples, [])
  })

  it('refuses definitions that are no objects, where they are made', () => {
    assert.throws(() => defineTable('sites' as never), /^TypeError: defineTable takes the fields of a table/)
    assert.throws(() => defineFold(undefined as never), /^TypeError: defineFold takes the fields of a fold/)
    assert.throws(() => defineCatalogue(undefined as never), /^TypeError: defineCatalogue takes/)
  })
})
