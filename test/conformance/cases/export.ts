import { KEYS, PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case, Download, Downloaded } from '../entry/case.js'
import type { Rule } from '../entry/rules.js'

export const exported = (name: string, { params, ...rest }: Omit<Case, 'name' | 'method'>): Case => ({
  name,
  method: 'projects/export',
  params: { projectId: PROJECT, sql: 'SELECT i, i * 2 AS twice FROM range(1000) t(i)', ...(params as object) },
  ...rest,
})

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Invalid params, and the field that the failure names. */
const BAD_PARAMS: [string, Record<string, unknown>, string][] = [
  ['no sql', { sql: undefined }, 'sql'],
  ['sql null', { sql: null }, 'sql'],
  ['projectId not a UUID', { projectId: '1' }, 'projectId'],
]

/** Statements that are refused as in a query. */
const refused = ({ name }: Vendor['table']): Record<string, string> => ({
  'a write': `DELETE FROM ${name}`,
  'a second statement': 'SELECT 1; SELECT 2',
  'a file of the server': "FROM read_parquet('/etc/passwd')",
  'an unknown column': `SELECT nope FROM ${name}`,
  'a COPY': "COPY (SELECT 1) TO 'out.parquet'",
})

/** Downloads with various keys, verbs and links. */
const DOWNLOADS: [name: string, rules: Rule[], download: Download, expected: Downloaded][] = [
  ['the key of the call', ['download: GET', 'auth-2'], {}, 'file'],
  ['another key of its owner', ['download: GET', 'auth-7'], { key: KEYS.mate }, 'file'],
  ['Range, which is ignored', ['download: GET'], { range: 'bytes=0-9' }, 'file'],
  ['HEAD', ['download: HEAD'], { verb: 'HEAD' }, 'size'],
  ['no key', ['download-3', 'auth-3', 'class: UNAUTHENTICATED'], { key: null }, 'UNAUTHENTICATED'],
  ['an unknown key', ['download-3', 'auth-3'], { key: 'nobody' }, 'UNAUTHENTICATED'],
  ['a key of another owner', ['download-4', 'auth-7', 'class: NOT_FOUND'], { key: KEYS.south }, 'NOT_FOUND'],
  ['a key of its owner that reads nothing', ['download: GET'], { key: 'key-of-ada-for-nothing' }, 'NOT_FOUND'],
  ['a made-up link', ['download-4'], { link: 'forged' }, 'NOT_FOUND'],
  ['a truncated link', ['download-4'], { link: 'cut short' }, 'NOT_FOUND'],
  ['no key and a made-up link', ['auth-3'], { key: null, link: 'forged' }, 'UNAUTHENTICATED'],
]

/** Downloads some time after the call. */
const LATER: [name: string, rules: Rule[], afterMs: number, expected: Downloaded][] = [
  ['14 minutes', ['download-1', 'limits: link validity'], 14 * MINUTE_MS, 'file'],
  ['16 minutes', ['download-1', 'class: LINK_EXPIRED', 'limits: link validity'], 16 * MINUTE_MS, 'LINK_EXPIRED'],
  ['a day', ['download-2', 'limits: link validity'], DAY_MS, 'LINK_EXPIRED'],
  ['a day and 16 minutes', ['download-2', 'limits: link validity'], DAY_MS + 16 * MINUTE_MS, 'NOT_FOUND'],
]

export const exportCases = ({ empty, fold, table }: Vendor): Case[] => [
  exported('returns the number of rows in the file', {
    rules: ['param: projects/export sql', 'envelope-1'],
    expect: { result: { rows: 1000 }, lacks: ['items', 'nextCursor'] },
  }),
  exported('writes a file even if there are no rows', {
    rules: ['param: projects/export sql'],
    params: { sql: empty },
    download: {},
    expect: { result: { rows: 0 }, download: 'file' },
  }),
  exported('writes the rows of a fold', {
    rules: ['param: projects/export sql'],
    params: { sql: `FROM ${fold.name}` },
    download: {},
    expect: { result: { rows: fold.rows }, download: 'file' },
  }),
  exported('warns about page, since exports have no pages', {
    rules: ['envelope-3'],
    params: { page: { limit: 10 } },
    expect: { result: { rows: 1000 }, warnings: ['page'] },
  }),
  exported('has no limit on the size of a row', {
    rules: ['param: projects/export sql'],
    on: 'limited',
    params: { sql: "SELECT repeat('x', 1000) AS s" },
    expect: { result: { rows: 1 } },
  }),
  ...BAD_PARAMS.map(([name, params, path]) =>
    exported(`refuses params: ${name}`, {
      rules: ['class: INVALID_PARAMS'],
      params,
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  ...Object.entries(refused(table)).map(([name, sql]) =>
    exported(`refuses ${name}`, {
      rules: ['class: INVALID_QUERY', 'param: projects/export sql'],
      params: { sql },
      expect: { class: 'INVALID_QUERY' },
    }),
  ),
  ...DOWNLOADS.map(([name, rules, download, expected]) =>
    exported(`answers a download with ${name}`, {
      rules,
      download,
      setUp: ({ plain: { host } }) => {
        host.callers.set('key-of-ada-for-nothing', { keyId: 'ada-nothing', ownerId: 'ada', organizations: [] })
        return {}
      },
      expect: { result: { rows: 1000 }, download: expected },
    }),
  ),
  ...LATER.map(([name, rules, afterMs, expected]) =>
    exported(`answers a download ${name} after the call`, {
      rules,
      alone: true,
      download: { afterMs },
      expect: { result: { rows: 1000 }, download: expected },
    }),
  ),
]
