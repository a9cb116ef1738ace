import type { ErrorClass } from 'foldgate'
import { ENTITIES, FOREIGN_PROJECT, KEYS, PROJECT } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

/** State of the host's ports while a call runs. */
export type Mood = 'well' | 'keys down' | 'projects down' | 'at fault' | 'quota spent'

/** A call and its expected class, over REST and JSON-RPC alike. */
export interface Case {
  about: string
  method: string
  params: unknown
  class: ErrorClass | 'OK'
  key?: string | null
  mood?: Mood
  /** Runs with default limits; other cases run with 800 ms per statement and 3000 bytes per export. */
  patient?: true
  /** The params match their schema, although the call fails with INVALID_PARAMS. */
  fits?: true
}

/** A project that the key can read but that has no sealed snapshot. */
export const BARE_PROJECT = '44444444-4444-4444-8444-444444444444'
const UNKNOWN = '99999999-9999-4999-8999-999999999999'
const { fold, table } = VENDOR
const SQL = `FROM ${fold.name} ORDER BY ALL`
const ENDLESS = 'SELECT count(*) FROM range(1000000) a, range(1000000) b'

const GOOD: Record<string, Record<string, unknown>> = {
  'projects/list': {},
  'projects/describe': { projectId: PROJECT },
  'projects/query': { projectId: PROJECT, sql: SQL },
  'projects/export': { projectId: PROJECT, sql: SQL },
}

const everywhere: Case[] = Object.entries(GOOD).flatMap(([method, params]): Case[] => [
  { about: 'a valid call', method, params, class: 'OK' },
  { about: 'an unread field', method, params: { ...params, extra: 1 }, class: 'OK' },
  { about: 'no key', method, params, key: null, class: 'UNAUTHENTICATED' },
  { about: 'an unknown key', method, params, key: 'nobody', class: 'UNAUTHENTICATED' },
  { about: 'a list for params', method, params: [1], class: 'INVALID_PARAMS' },
  { about: 'no calls left', method, params, mood: 'quota spent', class: 'RATE_LIMITED' },
  { about: 'keys that cannot be read', method, params, mood: 'keys down', class: 'UNAVAILABLE' },
  { about: 'projects that cannot be read', method, params, mood: 'projects down', class: 'UNAVAILABLE' },
  {
    about: 'projects that cannot be read and an unread field',
    method,
    params: { ...params, extra: 1 },
    mood: 'projects down',
    class: 'UNAVAILABLE',
  },
  { about: 'a fault of the host', method, params, mood: 'at fault', class: 'INTERNAL' },
])

const ofProjects: Case[] = Object.entries(GOOD).flatMap(([method, params]): Case[] =>
  method === 'projects/list'
    ? []
    : [
        {
          about: 'a project in capitals',
          method,
          params: { ...params, projectId: PROJECT.toUpperCase() },
          class: 'OK',
        },
        { about: 'no project', method, params: { ...params, projectId: undefined }, class: 'INVALID_PARAMS' },
        { about: 'null for a project', method, params: { ...params, projectId: null }, class: 'INVALID_PARAMS' },
        {
          about: 'a project with a prefix',
          method,
          params: { ...params, projectId: `urn:uuid:${PROJECT}`, extra: 1 },
          class: 'INVALID_PARAMS',
        },
        {
          about: 'an unknown project',
          method,
          params: { ...params, projectId: UNKNOWN, extra: 1 },
          class: 'FORBIDDEN',
        },
        { about: 'a foreign project', method, params: { ...params, projectId: FOREIGN_PROJECT }, class: 'FORBIDDEN' },
        {
          about: 'nothing sealed',
          method,
          params: { ...params, projectId: BARE_PROJECT, extra: 1 },
          class: 'NOT_READY',
        },
      ],
)

/** Calls with a point of view, which catalogues without a tree do not read. */
const views = (method: string, ask: (params: object) => object): Case[] => {
  if (!VENDOR.catalogue.hierarchy)
    return [{ about: 'a point of view', method, params: ask({ entityId: 'half', ownershipView: null }), class: 'OK' }]
  return [
    { about: 'a point of view', method, params: ask({ entityId: ENTITIES.half, ownershipView: 'gross' }), class: 'OK' },
    { about: 'null for an entity', method, params: ask({ entityId: null }), class: 'OK' },
    { about: 'an unknown entity', method, params: ask({ entityId: UNKNOWN }), class: 'NOT_FOUND' },
    { about: 'an entity id that is not a UUID', method, params: ask({ entityId: 'half' }), class: 'INVALID_PARAMS' },
    { about: 'a view in capitals', method, params: ask({ ownershipView: 'NET' }), class: 'INVALID_PARAMS' },
    { about: 'null for a view', method, params: ask({ ownershipView: null }), class: 'INVALID_PARAMS' },
  ]
}

const ofStatements: Case[] = ['projects/query', 'projects/export'].flatMap((method): Case[] => {
  const ask = (params: object) => ({ ...GOOD[method], ...params })
  return [
    ...views(method, ask),
    { about: 'no sql', method, params: ask({ sql: undefined }), class: 'INVALID_PARAMS' },
    { about: 'a number for sql', method, params: ask({ sql: 1 }), class: 'INVALID_PARAMS' },
    { about: 'blank sql', method, params: ask({ sql: ' ' }), class: 'INVALID_QUERY' },
    {
      about: 'sql that writes',
      method,
      params: ask({ sql: `DROP TABLE ${table.name}`, extra: 1 }),
      class: 'INVALID_QUERY',
    },
    {
      about: 'an unknown relation',
      method,
      params: ask({ sql: `SELECT * FROM ${fold.misspelt}` }),
      class: 'INVALID_QUERY',
    },
    { about: 'an unknown function', method, params: ask({ sql: "SELECT getenv('HOME')" }), class: 'INVALID_QUERY' },
    { about: 'sql that fails', method, params: ask({ sql: "SELECT CAST('x' AS INTEGER)" }), class: 'INVALID_QUERY' },
    { about: 'an endless query', method, params: ask({ sql: ENDLESS }), class: 'QUERY_TIMEOUT' },
    { about: 'an endless query, warned', method, params: ask({ sql: ENDLESS, extra: 1 }), class: 'QUERY_TIMEOUT' },
  ]
})

const LARGE = "SELECT string_agg(range::VARCHAR || repeat('x', 1000), ',') FROM range(100000000)"
const query = (params: object) => ({ ...GOOD['projects/query'], ...params })
const own: Case[] = [
  { about: 'no organization', method: 'projects/list', params: {}, key: KEYS.none, class: 'OK' },
  {
    about: 'a relation',
    method: 'projects/describe',
    params: { projectId: PROJECT, relation: fold.name },
    class: 'OK',
  },
  {
    about: 'null for a relation',
    method: 'projects/describe',
    params: { projectId: PROJECT, relation: null },
    class: 'OK',
  },
  {
    about: 'an unknown relation',
    method: 'projects/describe',
    params: { projectId: PROJECT, relation: fold.misspelt },
    class: 'INVALID_PARAMS',
    fits: true,
  },
  {
    about: 'a row over 4 MiB',
    method: 'projects/query',
    params: query({ sql: wide(5000) }),
    patient: true,
    class: 'INVALID_QUERY',
  },
  {
    about: 'out of memory',
    method: 'projects/query',
    params: query({ sql: LARGE }),
    patient: true,
    class: 'QUERY_TOO_LARGE',
  },
  {
    about: 'a file over the limit',
    method: 'projects/export',
    params: query({ sql: 'SELECT range, random() FROM range(20000)', extra: 1 }),
    class: 'QUERY_TOO_LARGE',
  },
]

const ofPages: Case[] = ['projects/list', 'projects/query'].flatMap((method): Case[] => {
  const page = (page: unknown) => ({ ...GOOD[method], page })
  return [
    { about: 'the first page', method, params: page({ limit: 1, cursor: null }), class: 'OK' },
    { about: 'an empty page object', method, params: page({}), class: 'OK' },
    { about: 'the largest page', method, params: page({ limit: 500, nextCursor: 'x' }), class: 'OK' },
    ...[0, 501, -1, 1.5, '5', null].map((limit): Case => {
      return { about: `a limit of ${JSON.stringify(limit)}`, method, params: page({ limit }), class: 'INVALID_PARAMS' }
    }),
    { about: 'null for a page', method, params: page(null), class: 'INVALID_PARAMS' },
    { about: 'a number for a cursor', method, params: page({ cursor: 1 }), class: 'INVALID_PARAMS' },
    { about: 'a made-up cursor', method, params: page({ cursor: 'abc.def' }), class: 'INVALID_PARAMS', fits: true },
  ]
})

function wide(kilobytes: number): string {
  return `SELECT string_agg(repeat('x', 1000), '') AS wide FROM range(${kilobytes})`
}

/** Calls that together provoke every class that the methods can answer. */
export const CASES: readonly Case[] = [...everywhere, ...ofProjects, ...ofStatements, ...ofPages, ...own]
