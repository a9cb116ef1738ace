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

const folded = (wrong: object) => [entities, defineFold({ ...fold, ...wrong } as never)]
const rooted = (wrong: object) => ({ hierarchy: { ...HIERARCHY, ...wrong }, relations: [entities] })

/** Definitions with one mistake each, and the message about it. */
const MISTAKES: [string, object, RegExp][] = [
  [
    'a field that rules do not have',
    {
      relations: [entities],
      rules: [{ table: 'entities', column: 'key', reads: [], wrong: 'SELECT 1', message: 'odd', warning: true }],
    },
    /^rules\[0\]: it has "warning", which is none of table, column, reads, wrong, message, isWarning$/,
  ],
  [
    'a field that examples do not have',
    { relations: [entities], examples: [{ question: 'Who?', sql: 'SELECT 1', note: 'x' }] },
    /^examples\[0\]: it has "note", which is none of question, sql$/,
  ],
  [
    'a reference to a column of another type',
    {
      relations: [
        entities,
        defineTable({ name: 'a', columns: { id: 'INT' }, references: { id: 'b.id' } }),
        defineTable({ name: 'b', columns: { id: 'VARCHAR' } }),
      ],
    },
    /table "a": references\.id is "b\.id", which is of type VARCHAR, and id is of type INT: write the same type for both$/,
  ],
  [
    'columns of a fold without types',
    { relations: folded({ columns: { key: 7 } }) },
    /fold "fold": column "key" is of type "7", which is none$/,
  ],
  ['columns of a fold as a list', { relations: folded({ columns: ['key'] }) }, /fold "fold": columns must be names/],
  [
    'a field of tables in a fold',
    { relations: folded({ required: ['key'] }) },
    /fold "fold": it has "required", which is none of name, about, columns, unique, references, values, measures, reads, sql/,
  ],
  ['a misspelt field', { example: [] }, /defineCatalogue: it has "example", which is none of hierarchy, relations/],
  ['relations that are no list', { relations: entities }, /relations must be a list of what defineTable/],
  ['a point of view that is a string', { pointOfView: 'no' }, /pointOfView must be true or false$/],
  ['internal that is a number', { relations: folded({ internal: 1 }) }, /fold "fold": internal must be true or false$/],
  ['a hierarchy that is a name', { hierarchy: 'entities' }, /hierarchy must be \{ table, key, parent, id, share \}$/],
  ['a misspelt field of the hierarchy', rooted({ shares: 'share' }), /hierarchy: it has "shares", which is none of/],
  ['null as a rule', { rules: [null] }, /rules\[0\] is no rule: use defineRule$/],
  [
    'a rule without reads',
    { rules: [{ table: 'entities', column: 'key', wrong: 'SELECT 1', message: 'x' }] },
    /rules\[0\]\.reads must be a list of tables: use defineRule$/,
  ],
  [
    'a key of a fold that is no column',
    { relations: folded({ columns: { key: 'VARCHAR' }, unique: ['kye'] }) },
    /fold "fold": unique names "kye", which is no column$/,
  ],
  [
    'values of a fold that are no list',
    { relations: folded({ values: { key: 'a' } }) },
    /fold "fold": values\.key must be a list of strings$/,
  ],
  [
    'a reference of a fold from no column',
    { relations: folded({ columns: { key: 'VARCHAR' }, references: { kye: 'entities.key' } }) },
    /fold "fold": references names "kye", which is no column$/,
  ],
  [
    'a reference of a fold to nothing',
    { relations: folded({ references: { key: 'entitis.key' } }) },
    /fold "fold": references.key is "entitis.key", and "entitis" is not a relation of the catalogue$/,
  ],
  [
    'a reference of a fold to no column',
    { relations: folded({ references: { key: 'entities.kye' } }) },
    /references.key is "entities.kye", and table "entities" has no column "kye"$/,
  ],
  [
    'a reference of a fold to a relation alone',
    { relations: folded({ references: { key: 'entities' } }) },
    /references.key must be "relation.column", not "entities"$/,
  ],
  [
    'a reference to an internal fold',
    {
      relations: [
        ...folded({ internal: true }),
        defineFold({ ...fold, name: 'next', references: { key: 'fold.key' } }),
      ],
    },
    /fold "next": references.key is "fold.key", and "fold" is an internal fold, which callers cannot name$/,
  ],
  [
    'a point of view without a hierarchy',
    { relations: [entities], hierarchy: undefined, pointOfView: true },
    /pointOfView: there is no point of view without a hierarchy$/,
  ],
  [
    'a fold over a point of view that is not there',
    { relations: folded({ reads: ['point_of_view'] }), hierarchy: undefined },
    /fold "fold": reads "point_of_view", which needs a hierarchy in the catalogue$/,
  ],
  [
    'a reference to a fold',
    { relations: [...folded({}), defineTable({ ...sites, references: { entity: 'fold.key' } })] },
    /"fold" is not a table of the catalogue$/,
  ],
  [
    'a fold of a relation defined later',
    { relations: [defineFold(fold), entities] },
    /fold "fold": reads "entities", which is not defined before it$/,
  ],
  ['a fold without SQL', { relations: folded({ sql: undefined }) }, /fold "fold": sql must be one SELECT$/],
  ['a fold without an about', { relations: folded({ about: '' }) }, /fold "fold": about must say what one row is$/],
  ['reads: a string', { relations: folded({ reads: 'entities' }) }, /fold "fold": reads must be a list of relations$/],
  [
    'the hierarchy of another table',
    rooted({ table: 'owners' }),
    /hierarchy: "owners" is not a table of the catalogue$/,
  ],
  [
    'the hierarchy of a fold',
    { ...rooted({ table: 'fold' }), relations: folded({}) },
    /hierarchy: "fold" is not a table/,
  ],
  [
    'the hierarchy of an optional table',
    { relations: [{ ...entities, optional: true }] },
    /hierarchy: table "entities" is optional/,
  ],
  [
    'a typo in the hierarchy',
    rooted({ share: 'shares' }),
    /hierarchy: table "entities" has no column "shares" for share$/,
  ],
  ['half a hierarchy', rooted({ id: undefined }), /hierarchy: table "entities" has no column "undefined" for id$/],
  [
    'an example without its statement',
    { examples: [{ question: 'How much?' }] },
    /examples\[0\] must have a question and sql$/,
  ],
]

describe('defineCatalogue, of folds and of the whole', () => {
  for (const [name, wrong, message] of MISTAKES)
    it(`refuses ${name}, and names the place`, () => {
      assert.throws(
        () => defineCatalogue({ hierarchy: HIERARCHY, relations: [entities], ...wrong } as never),
        (error: unknown) => error instanceof TypeError && message.test(error.message),
      )
    })
})
