import { PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'

const describe = (name: string, rest: Omit<Case, 'name' | 'method'>): Case => ({
  name,
  method: 'projects/describe',
  ...rest,
})

/** Names that are not relations of the catalogue, by what is wrong with them. */
const noRelations = ({ fold, table }: Vendor): Record<string, string> => ({
  'a typing mistake': fold.misspelt,
  'in capitals': fold.name.toUpperCase(),
  empty: '',
  'the built-in point of view': 'point_of_view',
  'a table of the engine': 'duckdb_tables',
  'with a statement in it': `${table.name}; DROP TABLE ${table.name}`,
})

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

export function describeCases(vendor: Vendor): Case[] {
  const { fold, table, examples } = vendor
  const relation = table.name
  const relations = [
    ...vendor.folds.map(([name, about]) => ({ name, kind: 'fold', about })),
    ...vendor.tables.map(name => ({ name, kind: 'table' })),
  ]
  const columnsOf = (relation: string) => (vendor.columns[relation] ?? []).map(([name, type]) => ({ name, type }))
  return [
    describe('lists every relation, folds first, and the worked queries', {
      rules: ['param: projects/describe projectId', 'envelope-1'],
      params: { projectId: PROJECT },
      expect: { result: { relations, examples }, lacks: ['columns'] },
    }),
    describe('accepts the id of a project in capitals', {
      rules: ['param: projects/describe projectId'],
      params: { projectId: PROJECT.toUpperCase() },
      expect: { result: { relations } },
    }),
    describe('treats null as no relation', {
      rules: ['param: projects/describe relation'],
      params: { projectId: PROJECT, relation: null },
      expect: { result: { examples }, lacks: ['columns'] },
    }),
    ...Object.keys(vendor.columns).map(relation =>
      describe(`returns the columns of ${relation}`, {
        rules: ['param: projects/describe relation'],
        params: { projectId: PROJECT, relation },
        expect: { result: { columns: columnsOf(relation), relations } },
      }),
    ),
    ...Object.entries(noRelations(vendor)).map(([name, relation]) =>
      describe(`refuses a relation: ${name}`, {
        rules: ['param: projects/describe relation', 'class: INVALID_PARAMS'],
        params: { projectId: PROJECT, relation },
        expect: { class: 'INVALID_PARAMS', data: { path: 'relation' } },
      }),
    ),
    describe('suggests the relation that was probably meant', {
      rules: ['param: projects/describe relation'],
      params: { projectId: PROJECT, relation: fold.misspelt },
      expect: { class: 'INVALID_PARAMS', data: { path: 'relation' }, message: new RegExp(`"${fold.name}"`) },
    }),
    describe('refuses a relation that is not a string', {
      rules: ['param: projects/describe relation'],
      params: { projectId: PROJECT, relation: [fold.name] },
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
      params: { projectId: PROJECT, relation, sql: 'SELECT 1', page: { limit: 3 } },
      expect: { result: { columns: columnsOf(relation) }, warnings: ['sql', 'page'] },
    }),
    describe('puts the warnings of a failed call into its data', {
      rules: ['envelope-4'],
      params: { projectId: PROJECT, relation: 'none', ownershipView: 'gross' },
      expect: { class: 'INVALID_PARAMS', data: { path: 'relation' }, warnings: ['ownershipView'] },
    }),
  ]
}
