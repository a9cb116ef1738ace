import { ENTITIES, PROJECT } from '../../service/service.js'
import type { Case } from '../entry/case.js'
import { exported } from './export.js'
import { projectWith } from './made.js'
import { firstNumbers, NUMBERS, numbers, query } from './query.js'

// Net shares: group 1, half 0.5, joint 0.5 × 0.5 + 0.25 = 0.5, leaf 0.8 × 0.5 = 0.4.
const TOTALS = 'SELECT item, round(total, 6) AS total FROM fold_totals ORDER BY item'
const totals = (land: number, water: number) => [
  { item: 'land', total: land },
  { item: 'water', total: water },
]
/** Points of view, and their totals of the amounts: 10, 20, 40 and 100 of water, and 7 of land at the leaf. */
const VIEWS: [string, Record<string, unknown>, [land: number, water: number]][] = [
  ['the whole project, net, by default', {}, [2.8, 80]],
  ['the whole project when entityId is null', { entityId: null }, [2.8, 80]],
  ['net ownership', { ownershipView: 'net' }, [2.8, 80]],
  ['gross ownership', { ownershipView: 'gross' }, [7, 170]],
  ['the root', { entityId: ENTITIES.group }, [2.8, 80]],
  ['a subtree', { entityId: ENTITIES.joint }, [5.6, 120]],
  ['a subtree, gross', { entityId: ENTITIES.joint, ownershipView: 'gross' }, [7, 140]],
  ['a partial owner', { entityId: ENTITIES.half }, [2.8, 80]],
  ['a leaf', { entityId: ENTITIES.leaf }, [7, 100]],
  ['a leaf in capitals', { entityId: ENTITIES.leaf.toUpperCase() }, [7, 100]],
]

/** Invalid params, and the field that the failure names. */
const BAD_PARAMS: [string, Record<string, unknown>, string][] = [
  ['entityId not a UUID', { sql: 'SELECT 1', entityId: 'root' }, 'entityId'],
  ['entityId a number', { sql: 'SELECT 1', entityId: 4 }, 'entityId'],
  ['entityId empty', { sql: 'SELECT 1', entityId: '' }, 'entityId'],
  ['ownershipView in capitals', { sql: 'SELECT 1', ownershipView: 'NET' }, 'ownershipView'],
  ['ownershipView null', { sql: 'SELECT 1', ownershipView: null }, 'ownershipView'],
  ['ownershipView a list', { sql: 'SELECT 1', ownershipView: ['net'] }, 'ownershipView'],
]

/** Invalid params of exports, and the field that the failure names. */
const BAD_EXPORTS: [string, Record<string, unknown>, string][] = [
  ['entityId a number', { entityId: 1 }, 'entityId'],
  ['ownershipView unknown', { ownershipView: 'both' }, 'ownershipView'],
]

/** Changes to a query that invalidate its cursor. */
const OTHER_QUERIES: [string, Record<string, unknown>][] = [
  ['entityId', { sql: NUMBERS, entityId: ENTITIES.leaf }],
  ['ownershipView', { sql: NUMBERS, ownershipView: 'gross' }],
]

/** Points of view, which catalogues with a tree have. */
export const viewCases: Case[] = [
  ...VIEWS.map(([name, params, [land, water]]) =>
    query(`computes totals for ${name}`, {
      rules: ['param: projects/query entityId', 'param: projects/query ownershipView', 'query-2'],
      params: { sql: TOTALS, ...params },
      expect: { items: totals(land, water), more: false },
    }),
  ),
  query('reads tables as stored, whatever the point of view', {
    rules: ['param: projects/query entityId'],
    params: { sql: 'SELECT count(*) AS n, sum(amount) AS amount FROM amounts', entityId: ENTITIES.leaf },
    expect: { items: [{ n: 5, amount: 177 }] },
  }),
  query('does not find an entity of another tree', {
    rules: ['class: NOT_FOUND', 'param: projects/query entityId'],
    params: { sql: 'SELECT 1', entityId: 'eeeeeeee-0000-4000-8000-000000000009' },
    expect: { class: 'NOT_FOUND', data: { path: 'entityId' } },
  }),
  ...BAD_PARAMS.map(([name, params, path]) =>
    query(`refuses params: ${name}`, {
      rules: ['class: INVALID_PARAMS', 'param: projects/query entityId', 'param: projects/query ownershipView'],
      params,
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  query('treats null and explicit defaults like the omitted params of the first page', {
    rules: ['param: projects/query page.cursor'],
    params: { sql: NUMBERS, entityId: null, ownershipView: 'net', page: { limit: 2 } },
    setUp: firstNumbers,
    expect: { items: numbers(7, 9), more: true },
  }),
  ...OTHER_QUERIES.map(([name, params]) =>
    query(`refuses a cursor with another ${name}`, {
      rules: ['param: projects/query page.cursor', 'class: INVALID_PARAMS'],
      params: { page: { limit: 7 }, ...params },
      setUp: firstNumbers,
      expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /another query/ },
    }),
  ),
  exported('accepts every param of a point of view', {
    rules: [
      'param: projects/export projectId',
      'param: projects/export entityId',
      'param: projects/export ownershipView',
    ],
    params: {
      projectId: PROJECT.toUpperCase(),
      sql: 'FROM fold_totals',
      entityId: ENTITIES.leaf,
      ownershipView: 'gross',
    },
    expect: { result: { rows: 2 } },
  }),
  exported('treats a null entityId as the whole project', {
    rules: ['param: projects/export entityId'],
    params: { sql: 'FROM fold_totals', entityId: null },
    expect: { result: { rows: 2 } },
  }),
  exported('does not find an entity of another tree', {
    rules: ['class: NOT_FOUND', 'param: projects/export entityId'],
    params: { entityId: 'eeeeeeee-0000-4000-8000-000000000009' },
    expect: { class: 'NOT_FOUND', data: { path: 'entityId' } },
  }),
  ...BAD_EXPORTS.map(([name, params, path]) =>
    exported(`refuses params: ${name}`, {
      rules: ['class: INVALID_PARAMS'],
      params,
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  {
    name: 'the snapshot is checked before the entity',
    rules: ['query-2'],
    method: 'projects/query',
    params: { sql: 'SELECT 1 AS one', entityId: 'eeeeeeee-0000-4000-8000-000000000009' },
    setUp: projectWith({ running: true }),
    expect: { class: 'NOT_READY' },
  },
]
