import { ENTITIES, PROJECT } from '../../service/service.js'
import type { Case } from '../entry/case.js'
import { exported } from './export.js'
import { firstNumbers, NUMBERS, numbers, query } from './query.js'

/** Values that a catalogue with a tree accepts or refuses. */
const FIELDS: [name: string, params: Record<string, unknown>, unread: string[]][] = [
  ['entityId', { entityId: ENTITIES.leaf }, ['entityId']],
  ['entityId that is no UUID', { entityId: 7 }, ['entityId']],
  ['ownershipView', { ownershipView: 'gross' }, ['ownershipView']],
  ['both, null', { entityId: null, ownershipView: null }, ['entityId', 'ownershipView']],
]

/** What callers of a catalogue without a tree are told who send a point of view all the same. */
export const noViewCases: Case[] = [
  ...FIELDS.flatMap(([name, params, warnings]) => [
    query(`runs and warns about ${name}`, {
      rules: ['envelope-3'],
      params: { sql: 'SELECT 1 AS one', ...params },
      expect: { items: [{ one: 1 }], warnings },
    }),
    exported(`warns about ${name}`, {
      rules: ['envelope-3'],
      params,
      expect: { result: { rows: 1000 }, warnings },
    }),
  ]),
  query('binds no cursor to fields that it does not read', {
    rules: ['query-6', 'envelope-3'],
    params: { sql: NUMBERS, entityId: ENTITIES.leaf, ownershipView: 'gross', page: { limit: 2 } },
    setUp: firstNumbers,
    expect: { items: numbers(7, 9), more: true, warnings: ['entityId', 'ownershipView'] },
  }),
  {
    name: 'a relation named like the point of view is unknown',
    rules: ['query-1'],
    method: 'projects/query',
    params: { projectId: PROJECT, sql: 'FROM point_of_view' },
    expect: { class: 'INVALID_QUERY', data: { rule: 'relation', name: 'point_of_view' } },
  },
]
