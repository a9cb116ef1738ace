import { PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'
import type { Rule } from '../entry/rules.js'
import { ENDLESS } from '../entry/services.js'
import { cursorOf } from './made.js'

const MEMORY = "SELECT length(repeat(repeat(repeat('x', 1000), 1000), 900)) AS n"

const MEGABYTE = "repeat(repeat('x', 1000), 1000)"
const SEVEN = `SELECT ${MEGABYTE} AS s FROM range(7) t(i)`

/** With these 26 characters in s, the row {"i":1,"s":"…"} has 40 bytes, which is the limit. */
const FORTY = "repeat('x', 26)"
const row = (i: number, length: number) => ({ i, s: 'x'.repeat(length) })

const hold: Case['setUp'] = async world => {
  await world.hold()
  return {}
}
const of = (method: string, sql: string): Pick<Case, 'method' | 'params'> => ({
  method,
  params: { projectId: PROJECT, sql },
})

/** The rules on waiting and building, per method. */
const NO_ROOM: [method: string, params: object, wait: Rule, build: Rule][] = [
  ['projects/describe', { relation: 'fold_endless' }, 'class: UNAVAILABLE', 'describe-2'],
  ['projects/query', { sql: 'FROM fold_endless' }, 'query-5', 'query-3'],
  ['projects/export', { sql: 'FROM fold_endless' }, 'export-4', 'export-2'],
]

export const limitCases = ({ table }: Vendor): Case[] => [
  {
    name: 'a query that exceeds its time limit',
    rules: ['query-4', 'limits: query time', 'class: QUERY_TIMEOUT'],
    ...of('projects/query', ENDLESS),
    on: 'hurried',
    expect: { class: 'QUERY_TIMEOUT', message: /0\.4 seconds/ },
  },
  {
    name: 'an export that exceeds its time limit',
    rules: ['export-3', 'limits: export time', 'class: QUERY_TIMEOUT'],
    ...of('projects/export', ENDLESS),
    on: 'hurried',
    expect: { class: 'QUERY_TIMEOUT', message: /0\.6 seconds/ },
  },
  {
    name: 'a query that exceeds its memory limit',
    rules: ['query-4', 'limits: memory', 'class: QUERY_TOO_LARGE'],
    ...of('projects/query', MEMORY),
    on: 'limited',
    expect: { class: 'QUERY_TOO_LARGE', message: /memory/ },
  },
  {
    name: 'an export that exceeds its memory limit',
    rules: ['export-3', 'limits: memory', 'class: QUERY_TOO_LARGE'],
    ...of('projects/export', MEMORY),
    on: 'limited',
    expect: { class: 'QUERY_TOO_LARGE', message: /memory/ },
  },
  {
    name: 'an export whose file grows too large',
    rules: ['export-3', 'limits: export bytes', 'class: QUERY_TOO_LARGE'],
    ...of('projects/export', 'SELECT md5(i::VARCHAR) AS a FROM range(20000) t(i)'),
    on: 'limited',
    expect: { class: 'QUERY_TOO_LARGE', message: /100000 bytes/ },
  },
  {
    name: 'a row of the maximum size',
    rules: ['limits: row bytes'],
    ...of('projects/query', `SELECT 1 AS i, ${FORTY} AS s`),
    on: 'limited',
    expect: { items: [row(1, 26)], more: false },
  },
  {
    name: 'a row one byte over the maximum size',
    rules: ['limits: row bytes', 'query-1', 'class: INVALID_QUERY'],
    ...of('projects/query', `SELECT 1 AS i, ${FORTY} || 'x' AS s`),
    on: 'limited',
    expect: { class: 'INVALID_QUERY', data: { rule: 'row-size' }, message: /40 bytes/ },
  },
  {
    name: 'an oversized row after others ends the page before it',
    rules: ['limits: row bytes', 'query-1', 'query-7'],
    ...of(
      'projects/query',
      "SELECT i, CASE WHEN i = 1 THEN repeat('x', 30) ELSE '' END AS s FROM range(2) t(i) ORDER BY i",
    ),
    on: 'limited',
    expect: { items: [row(0, 0)], more: true },
  },
  {
    name: 'large rows end the page early',
    rules: ['limits: page bytes', 'query-7'],
    // Three rows of 20 bytes fit into 60.
    ...of('projects/query', "SELECT i, repeat('x', 6) AS s FROM range(5) t(i) ORDER BY i"),
    on: 'limited',
    expect: { items: [row(0, 6), row(1, 6), row(2, 6)], more: true },
  },
  {
    name: 'rows of a megabyte end the page at 4 MiB',
    rules: ['limits: page bytes', 'query-7', 'query-8'],
    method: 'projects/query',
    params: {
      projectId: PROJECT,
      sql: SEVEN,
      page: { limit: 500 },
    },
    expect: { count: 4, more: true },
  },
  {
    name: 'the remaining rows are on the next page',
    rules: ['limits: page bytes', 'query-7', 'query-8'],
    method: 'projects/query',
    params: { projectId: PROJECT, sql: SEVEN, page: {} },
    setUp: cursorOf({
      method: 'projects/query',
      params: { projectId: PROJECT, sql: SEVEN },
    }),
    expect: { count: 3, more: false },
  },
  {
    name: 'a row of more than 4 MiB',
    rules: ['limits: row bytes', 'query-1'],
    ...of('projects/query', `SELECT ${Array(5).fill(MEGABYTE).join(' || ')} AS s`),
    expect: { class: 'INVALID_QUERY', data: { rule: 'row-size' }, message: /4194304 bytes/ },
  },
  ...NO_ROOM.map(
    ([method, params, , build]): Case => ({
      name: `${method} of a relation that takes too long to build`,
      rules: [build, 'limits: build', 'class: UNAVAILABLE'],
      method,
      params: { projectId: PROJECT, ...params },
      on: 'hurried',
      alone: true,
      expect: { class: 'UNAVAILABLE', message: /built/ },
    }),
  ),
  ...NO_ROOM.map(
    ([method, , wait]): Case => ({
      name: `${method} while no connection is free`,
      rules: [wait, 'limits: connection wait', 'class: UNAVAILABLE'],
      method,
      params: {
        projectId: PROJECT,
        ...(method === 'projects/describe' ? { relation: table.name } : { sql: "SELECT 'late' AS s" }),
      },
      on: 'busy',
      setUp: hold,
      expect: { class: 'UNAVAILABLE', message: /No connection was free/ },
    }),
  ),
  {
    name: 'projects/list while no connection is free',
    rules: ['limits: connection wait'],
    method: 'projects/list',
    on: 'busy',
    setUp: hold,
    expect: { count: 2 },
  },
  {
    name: 'a statement is refused while no connection is free',
    rules: ['limits: connection wait'],
    ...of('projects/query', `DROP TABLE ${table.name}`),
    on: 'busy',
    setUp: hold,
    expect: { class: 'INVALID_QUERY' },
  },
]
