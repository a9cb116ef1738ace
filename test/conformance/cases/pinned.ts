import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import { manifestPath } from '../../stored.js'
import type { Case } from '../entry/case.js'
import type { World } from '../entry/world.js'
import { cursorOf, pinnedIn } from './made.js'
import { NUMBERS, numbers } from './query.js'

const METHODS = ['projects/describe', 'projects/query', 'projects/export'] as const
const READABLE = { completed: true }
const { signal } = new AbortController()

/** The same for everything that is no snapshot of the project. */
const NOT_KEPT = /^The project keeps no snapshot with this id that can be read\. Leave the field out/
const REFUSED = { class: 'INVALID_PARAMS', data: { path: 'snapshot' }, message: NOT_KEPT } as const

/** Ids that no snapshot has. */
const NO_IDS: Record<string, string> = {
  empty: '',
  'a dot': '.',
  'the parent folder': '..',
  'the id of a project': PROJECT,
  'a made-up id': '000001-00000000-0000-4000-8000-000000000000',
  'a member of every object': '__proto__',
  'a path out of the folder': `../${PROJECT}`,
  'a file that exists': '/etc/passwd',
  'with a NUL': '000001\0',
  'a megabyte, almost': 'x'.repeat(1_000_000),
}

/** Snapshots that cannot be read, each of a project with another one that can. */
const LOST: Record<string, Case['setUp']> = {
  'one that was removed': async world => {
    const given = await pinnedIn(READABLE, 0, 1, 2)(world)
    await world.plain.snapshots.prune(given.projectId, 1)
    return given
  },
  'one of another project': async world => {
    const [snapshot = ''] = await world.plain.snapshots.list(PROJECT, signal)
    return { ...(await pinnedIn(READABLE, 0, 1)(world)), snapshot }
  },
  'one of a later version': async world => {
    const given = await pinnedIn(READABLE, 0, 1, 2)(world)
    await putManifest(world, given, JSON.stringify({ formatVersion: 99, snapshotId: given.snapshot }))
    return given
  },
}

/** Projects of which no snapshot may be read, whichever is asked for. */
const NOT_READY: [name: string, setUp: Case['setUp'], retry: boolean][] = [
  ['a running first assessment that has sealed', pinnedIn({ running: true }, 0, 1), true],
  ['a first assessment that failed after sealing', pinnedIn({}, 0, 1), false],
  ['an id of nothing, where nothing was sealed', pinnedIn(READABLE, 0), false],
]

export const pinnedCases = ({ single: { sql, column }, table, fold, catalogue, columns }: Vendor): Case[] => {
  const paramsOf = (method: string) => (method === 'projects/describe' ? {} : { sql })
  const told = columns[table.name]?.map(([name, type]) => ({ name, type }))
  const oldest = pinnedIn(READABLE, 0, 6, 7, 8)
  const ofEach = (name: string, rest: Omit<Case, 'name' | 'method' | 'rules'>) =>
    METHODS.map(
      (method): Case => ({
        name: `${method} ${name}`,
        rules: [],
        method,
        ...rest,
        params: { projectId: PROJECT, ...paramsOf(method), ...(rest.params as object) },
      }),
    )
  const query = (name: string, rest: Omit<Case, 'name' | 'method' | 'rules'>): Case => ({
    name,
    rules: [],
    method: 'projects/query',
    ...rest,
    params: { projectId: PROJECT, sql, ...(rest.params as object) },
  })
  return [
    ...[6, 7, 8].map((value, at) =>
      query(`reads snapshot ${at + 1} of three`, {
        setUp: pinnedIn(READABLE, at, 6, 7, 8),
        expect: { items: [{ [column]: value }], more: false },
      }),
    ),
    query('reads an older one during an assessment', {
      setUp: pinnedIn({ completed: true, running: true }, 0, 6, 7),
      expect: { items: [{ [column]: 6 }] },
    }),
    query('reads the latest one when it is null', {
      params: { snapshot: null },
      setUp: async world => {
        const { projectId, key = '' } = await oldest(world)
        return { projectId, key }
      },
      expect: { items: [{ [column]: 8 }] },
    }),
    query('reads folds of an older one', {
      params: { sql: `SELECT count(*) >= 0 AS ok FROM ${fold.name}` },
      setUp: oldest,
      expect: { items: [{ ok: true }] },
    }),
    {
      name: 'exports an older one',
      rules: [],
      method: 'projects/export',
      params: { sql },
      setUp: oldest,
      download: {},
      expect: { result: { rows: 1 }, download: 'file' },
    },
    {
      name: 'describes a relation of an older one, and no snapshots unless they are asked for',
      rules: [],
      method: 'projects/describe',
      params: { relation: table.name },
      setUp: oldest,
      expect: { result: { columns: told }, lacks: ['snapshots'] },
    },
    {
      name: 'lists the snapshots, the same whichever is read',
      rules: [],
      method: 'projects/describe',
      params: { include: ['snapshots'] },
      setUp: oldest,
      expect: {
        result: { snapshots: [3, 2, 1].map(n => ({ snapshot: new RegExp(`^00000${n}-`), sealedAt: /^20.*Z$/ })) },
        lacks: ['columns'],
      },
    },
    ...Object.entries(NO_IDS).flatMap(([name, snapshot]) =>
      ofEach(`refuses ${name}`, { params: { snapshot }, expect: REFUSED }),
    ),
    ...Object.entries(LOST).flatMap(([name, setUp]) =>
      ofEach(`refuses ${name}`, { ...(setUp ? { setUp } : {}), expect: REFUSED }),
    ),
    ...ofEach('refuses what is no string', {
      params: { snapshot: 1 },
      expect: { class: 'INVALID_PARAMS', data: { path: 'snapshot' }, message: /string or null/ },
    }),
    ...NOT_READY.flatMap(([name, setUp, retry]) =>
      ofEach(`finds ${name}`, { ...(setUp ? { setUp } : {}), expect: { class: 'NOT_READY', data: { retry } } }),
    ),
    query('binds a statement to one without running it', {
      params: { sql: `SELECT * FROM ${table.name}`, dryRun: true },
      setUp: oldest,
      expect: { items: [], result: { columns: told, relations: [{ name: table.name }] } },
    }),
    query('binds to no other', { params: { dryRun: true, snapshot: '..' }, expect: REFUSED }),
    query('counts and describes the rows of an older one', {
      params: { include: ['columns', 'total'] },
      setUp: oldest,
      expect: { items: [{ [column]: 6 }], result: { columns: [{ name: column }], total: 1 } },
    }),
    query('takes parameters', {
      params: { sql: `${sql} WHERE ${column} < $most`, parameters: { most: 7 } },
      setUp: oldest,
      expect: { items: [{ [column]: 6 }] },
    }),
    query('checks the statement first', {
      params: { sql: `DROP TABLE ${table.name}`, snapshot: '..' },
      expect: { class: 'INVALID_QUERY' },
    }),
    query('is the first to be refused of what depends on the snapshot', {
      params: {
        snapshot: '..',
        page: { cursor: 'none' },
        ...(catalogue.hierarchy ? { entityId: 'eeeeeeee-0000-4000-8000-000000000009' } : {}),
      },
      expect: REFUSED,
    }),
    ...ofEach('is UNAVAILABLE when it is damaged', {
      setUp: async world => {
        const given = await pinnedIn(READABLE, 0, 1, 2)(world)
        await putManifest(world, given, '{ "formatVersion"')
        return given
      },
      expect: { class: 'UNAVAILABLE', message: /^The pinned snapshot of the project cannot be read/ },
    }),
    query('goes on after a cursor that was handed out before newer ones were sealed', {
      params: { sql: NUMBERS, page: { limit: 7 } },
      setUp: async world => {
        const given = await pinnedIn(READABLE, 0, 1)(world)
        const { projectId, key = '' } = given
        const params = { projectId, sql: NUMBERS, page: { limit: 7 } }
        const { cursor } = await cursorOf({ method: 'projects/query', params, key })(world)
        await world.plain.seal(projectId)
        return { ...given, cursor }
      },
      expect: { items: numbers(7, 14), more: true },
    }),
    query('refuses a cursor of another snapshot', {
      params: { sql: NUMBERS, page: { limit: 7 } },
      setUp: async world => {
        const given = await pinnedIn(READABLE, 0, 1, 2)(world)
        const { projectId, key = '' } = given
        const params = { projectId, sql: NUMBERS, page: { limit: 7 } }
        return { ...given, ...(await cursorOf({ method: 'projects/query', params, key })(world)) }
      },
      expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /belongs to another snapshot/ },
    }),
  ]
}

async function putManifest(
  { plain }: World,
  { projectId, snapshot }: { projectId: string; snapshot: string },
  text: string,
): Promise<void> {
  await writeFile(manifestPath(join(plain.folder, 'snapshots'), projectId, snapshot), text)
}
