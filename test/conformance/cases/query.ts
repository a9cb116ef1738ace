import { OTHER_PROJECT, PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'
import { cursorOf, projectWith } from './made.js'

type Rest = Omit<Case, 'name' | 'method' | 'params'> & { params?: Record<string, unknown> }
export const query = (name: string, { params, ...rest }: Rest): Case => ({
  name,
  method: 'projects/query',
  params: { projectId: PROJECT, ...params },
  ...rest,
})

export const NUMBERS = 'SELECT i FROM range(30) t(i) ORDER BY i'
export const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ i: from + index }))

/** Invalid params, and the field that the failure names. */
const BAD_PARAMS: [string, Record<string, unknown>, string][] = [
  ['no sql', {}, 'sql'],
  ['sql null', { sql: null }, 'sql'],
  ['sql a number', { sql: 1 }, 'sql'],
  ['sql a list', { sql: ['SELECT 1'] }, 'sql'],
  ['sql an object', { sql: { text: 'SELECT 1' } }, 'sql'],
  ['projectId missing', { sql: 'SELECT 1', projectId: undefined }, 'projectId'],
  ['page null', { sql: 'SELECT 1', page: null }, 'page'],
  ['page a list', { sql: 'SELECT 1', page: [1] }, 'page'],
  ['limit 0', { sql: 'SELECT 1', page: { limit: 0 } }, 'page.limit'],
  ['limit 501', { sql: 'SELECT 1', page: { limit: 501 } }, 'page.limit'],
  ['limit a string', { sql: 'SELECT 1', page: { limit: '10' } }, 'page.limit'],
  ['cursor true', { sql: 'SELECT 1', page: { cursor: true } }, 'page.cursor'],
  ['cursor made up', { sql: 'SELECT 1', page: { cursor: 'WyJhIl0.AAAAAAAAAAAAAAAAAAAAAAAA' } }, 'page.cursor'],
]

/** Changes to a query that invalidate its cursor. */
const OTHER_QUERIES: [string, Record<string, unknown>][] = [
  ['sql', { sql: `${NUMBERS} ` }],
  ['projectId', { sql: NUMBERS, projectId: OTHER_PROJECT }],
]

export const firstNumbers = cursorOf({
  method: 'projects/query',
  params: { projectId: PROJECT, sql: NUMBERS, page: { limit: 7 } },
})

export const queryCases = ({ empty }: Vendor): Case[] => [
  query('accepts the id of a project in capitals', {
    rules: ['param: projects/query projectId'],
    params: { projectId: PROJECT.toUpperCase(), sql: 'SELECT 1 AS one' },
    expect: { items: [{ one: 1 }] },
  }),
  ...BAD_PARAMS.map(([name, params, path]) =>
    query(`refuses params: ${name}`, {
      rules: ['class: INVALID_PARAMS', 'param: projects/query sql', 'param: projects/query projectId'],
      params,
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  query('returns no rows from an empty relation', {
    rules: ['query-8', 'envelope-1'],
    params: { sql: empty },
    expect: { items: [], more: false },
  }),
  query('returns 100 rows by default', {
    rules: ['limits: page.limit', 'param: projects/query page'],
    params: { sql: 'SELECT i FROM range(200) t(i) ORDER BY i' },
    expect: { items: numbers(0, 100), more: true },
  }),
  query('returns 500 rows at most', {
    rules: ['limits: page.limit', 'param: projects/query page.limit'],
    params: { sql: 'SELECT i FROM range(501) t(i) ORDER BY i', page: { limit: 500 } },
    expect: { items: numbers(0, 500), more: true },
  }),
  query('returns no cursor when the last page is full', {
    rules: ['query-8'],
    params: { sql: NUMBERS, page: { limit: 30 } },
    expect: { items: numbers(0, 30), more: false },
  }),
  query('continues after a cursor', {
    rules: ['query-6', 'param: projects/query page.cursor'],
    params: { sql: NUMBERS, page: { limit: 7 } },
    setUp: firstNumbers,
    expect: { items: numbers(7, 14), more: true },
  }),
  query('counts rows in the cursor, so the next page may have another size', {
    rules: ['query-6', 'query-8'],
    params: { sql: NUMBERS, page: { limit: 500 } },
    setUp: firstNumbers,
    expect: { items: numbers(7, 30), more: false },
  }),
  ...OTHER_QUERIES.map(([name, params]) =>
    query(`refuses a cursor with another ${name}`, {
      rules: ['param: projects/query page.cursor', 'class: INVALID_PARAMS'],
      params: { page: { limit: 7 }, ...params },
      setUp: firstNumbers,
      expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /another query/ },
    }),
  ),
  query('refuses the cursor of a list', {
    rules: ['param: projects/query page.cursor'],
    params: { sql: NUMBERS, page: {} },
    setUp: cursorOf({ method: 'projects/list', params: { page: { limit: 1 } } }),
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /projects\/query/ },
  }),
  query('refuses a cursor whose snapshot was replaced', {
    rules: ['query-9', 'states-4', 'class: INVALID_PARAMS'],
    params: { sql: NUMBERS, page: { limit: 7 } },
    setUp: async world => {
      const { projectId = '', key = '' } = await projectWith({ completed: true }, 1)(world)
      const params = { projectId, sql: NUMBERS, page: { limit: 7 } }
      const { cursor } = await cursorOf({ method: 'projects/query', params, key })(world)
      await world.plain.seal(projectId)
      return { projectId, key, cursor }
    },
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /snapshot/ },
  }),
  query('runs and warns about fields that it does not read', {
    rules: ['envelope-3', 'envelope-2'],
    params: { sql: 'SELECT 1 AS one', limit: 5, page: { limit: 1, offset: 0 }, view: 'gross' },
    expect: { items: [{ one: 1 }], warnings: ['limit', 'page.offset', 'view'] },
  }),
  query('puts the warnings of a failed query into its data', {
    rules: ['envelope-4', 'envelope-3'],
    params: { sql: 'SELECT nope', limit: 5 },
    expect: { class: 'INVALID_QUERY', warnings: ['limit'] },
  }),
]
