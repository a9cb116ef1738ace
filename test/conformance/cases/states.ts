import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectRecord } from 'foldgate'
import type { Vendor } from '../../service/vendors.js'
import { manifestPath } from '../../stored.js'
import type { Case } from '../entry/case.js'
import { ownProject, type World } from '../entry/world.js'
import { projectWith } from './made.js'

const METHODS = ['projects/describe', 'projects/query', 'projects/export']

/** Projects without a readable snapshot, with the `retry` and the message of NOT_READY. */
const NOT_READY: [name: string, setUp: Case['setUp'], retry: boolean, message: keyof Vendor['notReady']][] = [
  ['a running first assessment', projectWith({ running: true }), true, 'running'],
  ['a running first assessment that has sealed', projectWith({ running: true }, 1), true, 'running'],
  ['a failed first assessment', projectWith({}), false, 'never'],
  ['a first assessment that failed after sealing', projectWith({}, 1), false, 'never'],
  ['a completed assessment, no snapshot', projectWith({ completed: true }), false, 'unreadable'],
  ['no snapshot, a second assessment runs', projectWith({ completed: true, running: true }), true, 'running'],
  ['only a snapshot of a later version', unreadable, false, 'unreadable'],
]

/** Projects with a readable snapshot, and the amount in it. */
const READY: [name: string, setUp: Case['setUp'], value: number][] = [
  ['the latest of two snapshots', projectWith({ completed: true }, 1, 2), 2],
  ['the previous snapshot during an assessment', projectWith({ completed: true, running: true }, 3), 3],
  ['the snapshot of a running assessment', projectWith({ completed: true, running: true }, 3, 4), 4],
  ['the latest snapshot that this version can read', older, 5],
]

export const stateCases = ({ single: { sql, column }, table, notReady, columns }: Vendor): Case[] => [
  ...NOT_READY.flatMap(([name, setUp, retry, message]) =>
    METHODS.map(
      (method): Case => ({
        name: `${method} finds ${name}`,
        rules: [
          'states-1',
          'class: NOT_READY',
          ...(method === 'projects/describe' ? (['describe-1'] as const) : (['query-2'] as const)),
        ],
        method,
        params: method === 'projects/describe' ? {} : { sql },
        ...(setUp ? { setUp } : {}),
        expect: { class: 'NOT_READY', data: { retry }, message: notReady[message] },
      }),
    ),
  ),
  ...READY.map(
    ([name, setUp, value]): Case => ({
      name: `a query reads ${name}`,
      rules: ['states-2', 'states-3', 'query-2'],
      method: 'projects/query',
      params: { sql },
      ...(setUp ? { setUp } : {}),
      expect: { items: [{ [column]: value }] },
    }),
  ),
  {
    name: 'columns are described while another assessment runs',
    rules: ['states-2'],
    method: 'projects/describe',
    params: { relation: table.name },
    setUp: projectWith({ completed: true, running: true }, 1),
    expect: { result: { columns: columns[table.name]?.map(([name, type]) => ({ name, type })) } },
  },
  {
    name: 'the statement is checked before the snapshot',
    rules: ['query-1'],
    method: 'projects/query',
    params: { sql: `DROP TABLE ${table.name}` },
    setUp: projectWith({ running: true }),
    expect: { class: 'INVALID_QUERY' },
  },
  {
    name: 'a damaged snapshot is UNAVAILABLE',
    rules: ['class: UNAVAILABLE'],
    method: 'projects/query',
    params: { sql },
    setUp: async world => {
      const { projectId, key } = ownProject(world.plain)
      await putManifest(world, projectId, '{ "formatVersion"')
      return { projectId, key }
    },
    expect: {
      class: 'UNAVAILABLE',
      message: /^The latest snapshot of the project cannot be read/,
    },
  },
  {
    name: 'a fault of the host is INTERNAL, with a reference',
    rules: ['class: INTERNAL'],
    method: 'projects/query',
    params: { sql },
    setUp: ({ plain }) => {
      const { projectId, key } = ownProject(plain)
      const { find } = plain.host.projectPort
      plain.host.projectPort.find = async (id, signal) => {
        const record = await find(id, signal)
        return record && id === projectId ? new Proxy<ProjectRecord>(record, { get: failsAtCompleted }) : record
      }
      return { projectId, key }
    },
    expect: { class: 'INTERNAL', data: { reference: /^[0-9a-f-]{36}$/ }, message: /^The service failed\./ },
  },
]

function failsAtCompleted(record: ProjectRecord, name: string | symbol): unknown {
  if (name === 'completed') throw new TypeError('the host has no such column')
  return Reflect.get(record, name)
}

/** Adds a project whose only snapshot was written by a later version. */
async function unreadable(world: World) {
  const { projectId, key } = ownProject(world.plain)
  await putManifest(world, projectId, FUTURE)
  return { projectId, key }
}

/** Adds a project with a snapshot of this version and a newer snapshot of a later version. */
async function older(world: World) {
  const given = await projectWith({ completed: true }, 5)(world)
  await putManifest(world, given.projectId ?? '', FUTURE)
  return given
}

/** The manifest of a snapshot of a later version. */
const FUTURE = `{ "formatVersion": 99, "snapshotId": "000009-${randomUUID()}" }`

async function putManifest({ plain }: World, projectId: string, text: string): Promise<void> {
  const path = manifestPath(join(plain.folder, 'snapshots'), projectId, `000009-${randomUUID()}`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
