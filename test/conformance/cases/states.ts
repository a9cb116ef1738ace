import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectRecord } from 'foldgate'
import type { Case } from '../entry/case.js'
import { ownProject, type World } from '../entry/world.js'
import { amount, projectWith } from './made.js'

const SQL = 'SELECT amount FROM amounts'
const METHODS = ['projects/describe', 'projects/query', 'projects/export']
const SUM: Record<string, unknown> = { sql: SQL }

/** Projects without a readable snapshot, with the `retry` and the message of NOT_READY. */
const NOT_READY: [name: string, setUp: Case['setUp'], retry: boolean, message: RegExp][] = [
  ['a running first assessment', projectWith({ running: true }), true, /running.*[Rr]etry later/],
  ['a running first assessment that has sealed', projectWith({ running: true }, {}), true, /running.*[Rr]etry later/],
  ['a failed first assessment', projectWith({}), false, /[Ll]aunch/],
  ['a first assessment that failed after sealing', projectWith({}, {}), false, /[Ll]aunch/],
  ['a completed assessment, no snapshot', projectWith({ completed: true }), false, /this version can read.*[Ll]aunch/],
  ['no snapshot, a second assessment runs', projectWith({ completed: true, running: true }), true, /[Rr]etry later/],
  ['only a snapshot of a later version', unreadable, false, /this version can read.*[Ll]aunch/],
]

/** Projects with a readable snapshot, and the amount in it. */
const READY: [name: string, setUp: Case['setUp'], value: number][] = [
  ['the latest of two snapshots', projectWith({ completed: true }, amount(1), amount(2)), 2],
  ['the previous snapshot during an assessment', projectWith({ completed: true, running: true }, amount(3)), 3],
  ['the snapshot of a running assessment', projectWith({ completed: true, running: true }, amount(3), amount(4)), 4],
  ['the latest snapshot that this version can read', older, 5],
]

export const stateCases: Case[] = [
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
        params: method === 'projects/describe' ? {} : SUM,
        ...(setUp ? { setUp } : {}),
        expect: { class: 'NOT_READY', data: { retry }, message },
      }),
    ),
  ),
  ...READY.map(
    ([name, setUp, value]): Case => ({
      name: `a query reads ${name}`,
      rules: ['states-2', 'states-3', 'query-2'],
      method: 'projects/query',
      params: SUM,
      ...(setUp ? { setUp } : {}),
      expect: { items: [{ amount: value }] },
    }),
  ),
  {
    name: 'columns are described while another assessment runs',
    rules: ['states-2'],
    method: 'projects/describe',
    params: { relation: 'notes' },
    setUp: projectWith({ completed: true, running: true }, {}),
    expect: { result: { columns: [{ name: 'note', type: 'VARCHAR' }] } },
  },
  {
    name: 'the statement is checked before the snapshot',
    rules: ['query-1'],
    method: 'projects/query',
    params: { sql: 'DROP TABLE amounts' },
    setUp: projectWith({ running: true }),
    expect: { class: 'INVALID_QUERY' },
  },
  {
    name: 'the snapshot is checked before the entity',
    rules: ['query-2'],
    method: 'projects/query',
    params: { sql: SQL, entityId: 'eeeeeeee-0000-4000-8000-000000000009' },
    setUp: projectWith({ running: true }),
    expect: { class: 'NOT_READY' },
  },
  {
    name: 'a damaged snapshot is UNAVAILABLE',
    rules: ['class: UNAVAILABLE'],
    method: 'projects/query',
    params: SUM,
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
    params: SUM,
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
  await putManifest(world, projectId, '{ "formatVersion": 99 }')
  return { projectId, key }
}

/** Adds a project with a snapshot of this version and a newer snapshot of a later version. */
async function older(world: World) {
  const given = await projectWith({ completed: true }, amount(5))(world)
  await putManifest(world, given.projectId ?? '', '{ "formatVersion": 99 }')
  return given
}

async function putManifest({ plain }: World, projectId: string, text: string): Promise<void> {
  const folder = join(plain.folder, 'snapshots', projectId, `000009-${randomUUID()}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'manifest.json'), text)
}
