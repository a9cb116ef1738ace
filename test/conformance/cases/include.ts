import { PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'
import { exported } from './export.js'
import { query } from './query.js'

/** What results have besides rows, and dry runs. */
export const includeCases = ({ empty, fold, table, catalogue }: Vendor): Case[] => [
  query('tells the columns and the number of no rows', {
    rules: ['query-8'],
    params: { sql: empty, include: ['columns', 'total'] },
    expect: { items: [], more: false, result: { total: 0 } },
  }),
  query('tells columns with the same name and of every shape as describe writes them', {
    rules: ['envelope-1'],
    params: { sql: "SELECT 1 AS n, 'x' AS n, {'a b': [1.5]} AS s, NULL AS z", include: ['columns'] },
    expect: {
      count: 1,
      result: {
        columns: [
          { name: 'n', type: 'INTEGER' },
          { name: 'n_1', type: 'VARCHAR' },
          { name: 's', type: 'STRUCT("a b" DECIMAL(2,1)[])' },
          { name: 'z', type: 'INTEGER' },
        ],
      },
    },
  }),
  ...(
    [
      [['rows'], 'include.0'],
      ['columns', 'include'],
      [['columns', 1], 'include.1'],
    ] as const
  ).map(([include, path]) =>
    query(`refuses include: ${JSON.stringify(include)}`, {
      rules: ['class: INVALID_PARAMS'],
      params: { sql: 'SELECT 1', include },
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  query('leaves out a total that cannot be counted in time, and warns', {
    rules: ['query-4'],
    on: 'hurried',
    params: {
      sql: 'SELECT i FROM range(100_000_000_000) t(i) WHERE hash(i) % 3 > $v',
      parameters: { v: 0 },
      page: { limit: 2 },
      include: ['total'],
    },
    expect: { count: 2, more: true, lacks: ['total', 'columns'], warnings: ['include'] },
  }),
  query('runs nothing in a dry run', {
    rules: ['param: projects/query sql'],
    params: {
      sql: "SELECT CAST('x' || i AS INTEGER) + $v AS v FROM range(9) t(i)",
      parameters: { v: 1 },
      dryRun: true,
    },
    expect: {
      items: [],
      more: false,
      result: { columns: [{ name: 'v', type: 'BIGINT' }], relations: [] },
      lacks: ['total'],
    },
  }),
  query('tells in a dry run which relations a statement reads', {
    rules: ['param: projects/query sql'],
    params: { sql: `SELECT count(*) AS n FROM ${table.name}, ${fold.name}`, dryRun: true },
    expect: { items: [], result: { columns: [{ name: 'n', type: 'BIGINT' }] } },
  }),
  ...(
    [
      ['a statement that is refused', { sql: 'SELECT getenv($v)', parameters: { v: 'HOME' } }, 'INVALID_QUERY'],
      ['a column that does not exist', { sql: `SELECT nope FROM ${fold.name}` }, 'INVALID_QUERY'],
      ['a parameter without its value', { sql: 'SELECT $v AS v', parameters: {} }, 'INVALID_PARAMS'],
      ['dryRun that is no boolean', { sql: 'SELECT $v AS v', parameters: { v: 1 }, dryRun: 'yes' }, 'INVALID_PARAMS'],
      ...(catalogue.hierarchy
        ? ([['an unknown entity', { sql: 'SELECT 1', entityId: PROJECT }, 'NOT_FOUND']] as const)
        : []),
    ] as const
  ).map(([name, params, error]) =>
    query(`fails in a dry run with ${name}, as in a run`, {
      rules: [`class: ${error}`],
      params: { dryRun: true, ...params },
      expect: { class: error },
    }),
  ),
  exported('counts its rows without include, and refuses total', {
    rules: ['class: INVALID_PARAMS'],
    params: { include: ['total'] },
    expect: { class: 'INVALID_PARAMS', data: { path: 'include.0' } },
  }),
  exported('warns about dryRun, which it does not read', {
    rules: ['envelope-3'],
    params: { dryRun: true },
    expect: { result: { rows: 1000 }, warnings: ['dryRun'] },
  }),
]
