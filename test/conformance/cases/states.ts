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

/** What has become of a project's assessments without leaving anything to read, and what is said of it. */
const NOT_READY: [name: string, setUp: Case['setUp'], retry: boolean, message: RegExp][] = [
  ['a first assessment that runs', projectWith({ running: true }), true, /running.*[Rr]etry later/],
  ['a first assessment that runs and has sealed', projectWith({ running: true }, {}), true, /running.*[Rr]etry later/],
  ['a first assessment that failed', projectWith({}), false, /[Ll]aunch/],
  ['a first assessment that failed after it had sealed', projectWith({}, {}), false, /[Ll]aunch/],
  ['an assessment that left nothing', projectWith({ completed: true }), false, /this version can read.*[Ll]aunch/],
  ['one that left nothing while another runs', projectWith({ completed: true, running: true }), true, /[Rr]etry later/],
  ['a snapshot of a later version', unreadable, false, /this version can read.*[Ll]aunch/],
]

/** What can be read, and the amount that is then there. */
const READY: [name: string, setUp: Case['setUp'], value: number][] = [
  ['the latest of two snapshots', projectWith({ completed: true }, amount(1), amount(2)), 2],
  ['the one before while another assessment runs', projectWith({ completed: true, running: true }, amount(3)), 3],
  ['what the running assessment has sealed', projectWith({ completed: true, running: true }, amount(3), amount(4)), 4],
  ['the latest that this version can read', older, 5],
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
    name: 'a statement is refused before a snapshot is looked for',
    rules: ['query-1'],
    method: 'projects/query',
    params: { sql: 'DROP TABLE amounts' },
    setUp: projectWith({ running: true }),
    expect: { class: 'INVALID_QUERY' },
  },
  {
    name: 'a snapshot is looked for before an entity',
    rules: ['query-2'],
    method: 'projects/query',
    params: { sql: SQL, entityId: 'eeeeeeee-0000-4000-8000-000000000009' },
    setUp: projectWith({ running: true }),
    expect: { class: 'NOT_READY' },
  },
  {
    name: 'a damaged snapshot is a dependency that is down',
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
    name: 'a fault of the host is one of the service, of which callers learn a reference',
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

/** A project whose only snapshot a later version has written. */
async function unreadable(world: World) {
  const { projectId, key } = ownProject(world.plain)
  await putManifest(world, projectId, '{ "formatVersion": 99 }')
  return { projectId, key }
}

/** A project with a snapshot of this version, and a newer one of a later version. */
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
