import { ENTITIES, FOREIGN_PROJECT, OTHER_PROJECT, PROJECT } from '../../service/service.js'
import type { Case } from '../entry/case.js'
import { cursorOf } from './made.js'
import { numbers } from './query.js'

type Rest = Omit<Case, 'name' | 'method' | 'params'> & { params?: Record<string, unknown> }
export const named = (name: string, called: string, { params, ...rest }: Rest): Case => ({
  name,
  method: `queries/${called}`,
  params: { projectId: PROJECT, ...params },
  ...rest,
})

const WATER = [
  { entity_key: 'group', amount: 10 },
  { entity_key: 'half', amount: 20 },
  { entity_key: 'joint', amount: 40 },
  { entity_key: 'leaf', amount: 100 },
]
const item = 'water'

/** Calls of `amounts_of`, and how many of the rows of water they return, from the last one. */
const VALUES: [name: string, called: string, parameters: Record<string, unknown>, rows: number][] = [
  ['the newest version without its number', 'amounts_of', { item, least: 40 }, 2],
  ['the newest version by its number', 'amounts_of@3', { item, least: 40 }, 2],
  ['an older version', 'amounts_of@2', { item }, 4],
  ['defaults', 'amounts_of', { item }, 4],
  ['a value with its type', 'amounts_of', { item: { type: 'VARCHAR', value: item }, least: 40 }, 2],
  ['an alias of its type', 'amounts_of', { item, least: { type: 'float8', value: 100 } }, 1],
  ['a list', 'amounts_of', { item, entities: ['leaf', 'joint', "'; DROP TABLE amounts"] }, 2],
  ['NULL, where it is the default', 'amounts_of', { item, entities: null }, 4],
]

/** Values that are refused, and the one that the failure names. */
const BAD_VALUES: [name: string, called: string, parameters: unknown, path: string][] = [
  ['no value where one is needed', 'amounts_of', undefined, 'parameters.item'],
  ['a value that is not allowed', 'amounts_of', { item: 'air' }, 'parameters.item'],
  ['NULL beside allowed values', 'amounts_of', { item: null }, 'parameters.item'],
  ['another type of JSON', 'amounts_of', { item, least: 'many' }, 'parameters.least'],
  ['another type', 'amounts_of', { item, least: { type: 'BIGINT', value: 1 } }, 'parameters.least'],
  ['a list of another type', 'amounts_of', { item, entities: [1] }, 'parameters.entities'],
  ['a parameter of a later version', 'amounts_of@2', { item, least: 1 }, 'parameters.least'],
  ['a parameter of a query that has none', 'totals', { item }, 'parameters.item'],
  ['parameters as a list', 'amounts_of', [item], 'parameters'],
  ['parameters null', 'amounts_of', null, 'parameters'],
]

/** Names that are not found, and what the message says. */
const UNKNOWN: [called: string, message: RegExp][] = [
  ['amounts_of@1', /^There is no such version of the query\. Call amounts_of@3\.$/],
  ['amounts_of@4', /Call amounts_of@3\.$/],
  ['amounts', /Call amounts_of@3\.$/],
  ['amounts@1', /Call amounts_of@3\.$/],
  ['amount_of', /^There is no query with this name\. Did you mean amounts_of\?$/],
  ['nothing', /^There is no query with this name\. The document queries\.json describes those that there are\.$/],
  ['AMOUNTS_OF', /no query with this name/],
  ['toString', /no query with this name/],
]

/** Other params that are refused, and the field that the failure names. */
const BAD_PARAMS: [name: string, params: Record<string, unknown>, path: string][] = [
  ['no project', { projectId: undefined }, 'projectId'],
  ['a limit of 0', { page: { limit: 0 } }, 'page.limit'],
  ['a format that there is not', { format: 'pdf' }, 'format'],
  ['format null', { format: null }, 'format'],
  ['the total of a file', { format: 'csv', include: ['total'] }, 'include.0'],
  ['a snapshot that there is not', { snapshot: 'nothing' }, 'snapshot'],
  ['entityId not a UUID', { entityId: 'root' }, 'entityId'],
]

const NUMBERS = { projectId: PROJECT, parameters: { below: 30 }, page: { limit: 7 } }
const firstNumbers = cursorOf({ method: 'queries/numbers', params: NUMBERS })

/** Named queries of the group. */
export const namedCases: Case[] = [
  ...VALUES.map(([name, called, parameters, rows]) =>
    named(`runs with ${name}`, called, {
      rules: ['named-1', 'named-2', 'named-4'],
      params: { parameters },
      expect: { items: WATER.slice(-rows), more: false, lacks: ['columns', 'total'] },
    }),
  ),
  ...BAD_VALUES.map(([name, called, parameters, path]) =>
    named(`refuses ${name}`, called, {
      rules: ['named-2', 'class: INVALID_PARAMS'],
      params: parameters === undefined ? {} : { parameters },
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  ...UNKNOWN.map(([called, message]) =>
    named(`does not find ${called}`, called, {
      rules: ['named-3', 'class: NOT_FOUND'],
      expect: { class: 'NOT_FOUND', message },
    }),
  ),
  ...BAD_PARAMS.map(([name, params, path]) =>
    named(`refuses params: ${name}`, 'totals', {
      rules: ['named-4', 'class: INVALID_PARAMS'],
      params,
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  named('reads from a point of view', 'totals', {
    rules: ['named-4'],
    params: { entityId: ENTITIES.joint, ownershipView: 'gross' },
    expect: {
      items: [
        { item: 'land', total: 7 },
        { item: 'water', total: 140 },
      ],
    },
  }),
  named('does not find an entity of another tree', 'totals', {
    rules: ['named-4', 'class: NOT_FOUND'],
    params: { entityId: 'eeeeeeee-0000-4000-8000-000000000009' },
    expect: { class: 'NOT_FOUND', data: { path: 'entityId' } },
  }),
  named('includes columns and the total', 'amounts_of', {
    rules: ['named-4'],
    params: { parameters: { item }, page: { limit: 1 }, include: ['columns', 'total'] },
    expect: {
      items: WATER.slice(0, 1),
      more: true,
      result: {
        columns: [
          { name: 'entity_key', type: 'VARCHAR' },
          { name: 'amount', type: 'DOUBLE' },
        ],
        total: 4,
      },
    },
  }),
  named('warns of fields that it does not read, such as SQL', 'totals', {
    rules: ['named-4', 'envelope-3'],
    params: { sql: 'SELECT 1', dryRun: true, csvInjection: 'escape' },
    expect: { count: 2, warnings: ['sql', 'dryRun', 'csvInjection'] },
  }),
  named('reads on from a cursor', 'numbers', {
    rules: ['named-4'],
    params: NUMBERS,
    setUp: firstNumbers,
    expect: { items: numbers(7, 14), more: true },
  }),
  named('refuses a cursor with other values', 'numbers', {
    rules: ['named-4', 'class: INVALID_PARAMS'],
    params: { ...NUMBERS, parameters: { below: 31 } },
    setUp: firstNumbers,
    expect: {
      class: 'INVALID_PARAMS',
      data: { path: 'page.cursor' },
      message: /send the same projectId, entityId and ownershipView\. Send the same parameters, too\.$/,
    },
  }),
  named('refuses a cursor of another query', 'totals', {
    rules: ['named-4', 'class: INVALID_PARAMS'],
    setUp: firstNumbers,
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' } },
  }),
  named('refuses a cursor of another project', 'numbers', {
    rules: ['named-4', 'class: INVALID_PARAMS'],
    params: { ...NUMBERS, projectId: OTHER_PROJECT },
    setUp: firstNumbers,
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' } },
  }),
  named('exports all rows to a file', 'numbers', {
    rules: ['named-4'],
    params: { parameters: { below: 30 }, format: 'parquet', include: ['columns'] },
    download: {},
    expect: { result: { rows: 30, columns: [{ name: 'i', type: 'BIGINT' }] }, lacks: ['items'], download: 'file' },
  }),
  named('exports without reading a page', 'numbers', {
    rules: ['named-4', 'envelope-3'],
    params: { parameters: { below: 3 }, format: 'parquet', page: { limit: 1 } },
    expect: { result: { rows: 3 }, warnings: ['page'] },
  }),
  named('is FORBIDDEN in a project of others', 'totals', {
    rules: ['auth-6', 'class: FORBIDDEN'],
    params: { projectId: FOREIGN_PROJECT },
    expect: { class: 'FORBIDDEN', data: { path: 'projectId' } },
  }),
  named('needs a key, also to learn what there is', 'nothing', {
    rules: ['auth-1', 'class: UNAUTHENTICATED'],
    key: null,
    expect: { class: 'UNAUTHENTICATED' },
  }),
  named('fails without a place in its SQL', 'as_number', {
    rules: ['named-5', 'class: INVALID_QUERY'],
    params: { parameters: { digits: 'seven' } },
    expect: { class: 'INVALID_QUERY', data: { rule: 'engine' }, message: /^The query failed: [^()]*seven[^()]*$/ },
  }),
]
