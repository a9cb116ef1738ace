import { PROJECT } from '../../service/service.js'
import type { Case } from '../entry/case.js'

const describe = (name: string, rest: Omit<Case, 'name' | 'method'>): Case => ({
  name,
  method: 'projects/describe',
  ...rest,
})

const FOLDS = [
  ['fold_totals', 'One row an item: its amount over the point of view.'],
  ['fold_pressures', 'One row an entity, indicator and biome.'],
  ['fold_risks', 'One row an assessed risk.'],
  ['risk_rows', 'One row a site and measurement.'],
  ['fold_dependencies', 'One row an entity and dependency.'],
  ['dependency_rows', 'One row a measurement of a dependency.'],
  ['dash_ipbes', 'One row a driver and source.'],
]
const RELATIONS = [
  ...FOLDS.map(([name, about]) => ({ name, kind: 'fold', about })),
  ...['entities', 'amounts', 'notes'].map(name => ({ name, kind: 'table' })),
]
const EXAMPLES = [{ question: 'Which item weighs most?', sql: 'SELECT * FROM fold_totals ORDER BY total DESC, item' }]

/** Relations and their columns. */
const COLUMNS: Record<string, [string, string][]> = {
  fold_totals: [
    ['item', 'VARCHAR'],
    ['total', 'DOUBLE'],
  ],
  entities: [
    ['entity_key', 'VARCHAR'],
    ['entity_id', 'UUID'],
    ['parent_key', 'VARCHAR'],
    ['ownership_share', 'DOUBLE'],
  ],
  notes: [['note', 'VARCHAR']],
  dash_ipbes: [
    ['ipbes_pressure', 'VARCHAR'],
    ['value', 'DOUBLE'],
  ],
}

/** Names that are not relations of the catalogue, by what is wrong with them. */
const NO_RELATIONS: Record<string, string> = {
  'a typing mistake': 'fold_total',
  'in capitals': 'FOLD_TOTALS',
  empty: '',
  'the built-in point of view': 'point_of_view',
  'a table of the engine': 'duckdb_tables',
  'with a statement in it': 'amounts; DROP TABLE amounts',
}

/** Values that are not ids of projects. */
const NO_IDS: Record<string, unknown> = {
  null: null,
  empty: '',
  'a word': 'first',
  'a number': 1,
  'without hyphens': PROJECT.replaceAll('-', ''),
  'in braces': `{${PROJECT}}`,
  'as a URN': `urn:uuid:${PROJECT}`,
  'followed by a space': `${PROJECT} `,
  'followed by a line break': `${PROJECT}\n`,
  'a list of one id': [PROJECT],
  'an object with a toString member': { toString: 1 },
  'lists nested a thousand deep': JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`),
}

export const describeCases: Case[] = [
  describe('lists every relation, folds first, and the worked queries', {
    rules: ['param: projects/describe projectId', 'envelope-1'],
    params: { projectId: PROJECT },
    expect: { result: { relations: RELATIONS, examples: EXAMPLES }, lacks: ['columns'] },
  }),
  describe('accepts the id of a project in capitals', {
    rules: ['param: projects/describe projectId'],
    params: { projectId: PROJECT.toUpperCase() },
    expect: { result: { relations: RELATIONS } },
  }),
  describe('treats null as no relation', {
    rules: ['param: projects/describe relation'],
    params: { projectId: PROJECT, relation: null },
    expect: { result: { examples: EXAMPLES }, lacks: ['columns'] },
  }),
  ...Object.entries(COLUMNS).map(([relation, columns]) =>
    describe(`returns the columns of ${relation}`, {
      rules: ['param: projects/describe relation'],
      params: { projectId: PROJECT, relation },
      expect: { result: { columns: columns.map(([name, type]) => ({ name, type })), relations: RELATIONS } },
    }),
  ),
  ...Object.entries(NO_RELATIONS).map(([name, relation]) =>
    describe(`refuses a relation: ${name}`, {
      rules: ['param: projects/describe relation', 'class: INVALID_PARAMS'],
      params: { projectId: PROJECT, relation },
      expect: { class: 'INVALID_PARAMS', data: { path: 'relation' } },
    }),
  ),
  describe('suggests the relation that was probably meant', {
    rules: ['param: projects/describe relation'],
    params: { projectId: PROJECT, relation: 'fold_totls' },
    expect: { class: 'INVALID_PARAMS', data: { path: 'relation' }, message: /"fold_totals"/ },
  }),
  describe('refuses a relation that is not a string', {
    rules: ['param: projects/describe relation'],
    params: { projectId: PROJECT, relation: ['fold_totals'] },
    expect: { class: 'INVALID_PARAMS', data: { path: 'relation' }, message: /string or null/ },
  }),
  describe('requires the id of a project', {
    rules: ['param: projects/describe projectId', 'class: INVALID_PARAMS'],
    params: {},
    expect: { class: 'INVALID_PARAMS', data: { path: 'projectId' }, message: /"projectId" must be a UUID/ },
  }),
  describe('requires params', {
    rules: ['param: projects/describe projectId'],
    expect: { class: 'INVALID_PARAMS', data: { path: 'projectId' } },
  }),
  ...Object.entries(NO_IDS).map(([name, projectId]) =>
    describe(`refuses an id: ${name}`, {
      rules: ['param: projects/describe projectId'],
      params: { projectId },
      expect: { class: 'INVALID_PARAMS', data: { path: 'projectId' } },
    }),
  ),
  describe('warns about fields of other methods', {
    rules: ['envelope-3'],
    params: { projectId: PROJECT, relation: 'notes', sql: 'SELECT 1', page: { limit: 3 } },
    expect: { result: { columns: [{ name: 'note', type: 'VARCHAR' }] }, warnings: ['sql', 'page'] },
  }),
  describe('puts the warnings of a failed call into its data', {
    rules: ['envelope-4'],
    params: { projectId: PROJECT, relation: 'none', ownershipView: 'gross' },
    expect: { class: 'INVALID_PARAMS', data: { path: 'relation' }, warnings: ['ownershipView'] },
  }),
]
