import { FOREIGN_PROJECT, KEYS, OTHER_PROJECT, PROJECT } from '../../service/service.js'
import type { Case } from '../entry/case.js'
import { ownProject } from '../entry/world.js'
import { cursorOf } from './made.js'

const list = (name: string, rest: Omit<Case, 'name' | 'method'>): Case => ({ name, method: 'projects/list', ...rest })

const FIRST = { projectId: PROJECT, name: 'Project 1', organization: 'north', state: 'computed' }
const SECOND = { projectId: OTHER_PROJECT, name: 'Project 2', organization: 'north', state: 'computed' }
const SOUTH = { projectId: FOREIGN_PROJECT, name: 'Project 3', organization: 'south', state: 'computed' }

/** Invalid limits. */
const BAD_LIMITS: Record<string, unknown> = {
  zero: 0,
  negative: -1,
  'above 500': 501,
  'far above 500': 4_294_967_296,
  'with a fraction': 1.5,
  'a string': '100',
  null: null,
  'a boolean': true,
  'a list': [1],
  'an object with a valueOf member': { valueOf: 1, toString: 1 },
}

/** Params that are not an object. */
const NO_OBJECTS: Record<string, unknown> = { 'a list': [1], 'a string': 'page', 'a number': 1, true: true }

/** Pages that are not an object. */
const NO_PAGES: Record<string, unknown> = { null: null, 'a list': [], 'a string': '1', 'a number': 100 }

/** Strings that are not cursors. */
const NO_CURSORS: Record<string, unknown> = {
  empty: '',
  'made up': 'bm90aGluZw.AAAAAAAAAAAAAAAAAAAAAAAA',
  'of ten thousand characters': 'x'.repeat(10_000),
}

/** Project states, by the state of the assessments. */
const STATES: [string, { completed?: boolean; running?: boolean }, string][] = [
  ['no assessment', {}, 'notComputed'],
  ['a running first assessment', { running: true }, 'computing'],
  ['a completed assessment', { completed: true }, 'computed'],
  ['a completed assessment and a running one', { completed: true, running: true }, 'computed'],
]

export const listCases: Case[] = [
  list('returns every project that the key reads, oldest first', {
    rules: ['entry: REST', 'list-1', 'auth-5', 'envelope-1'],
    params: {},
    expect: { items: [FIRST, SECOND], more: false },
  }),
  list('needs no params', { rules: ['param: projects/list page'], expect: { items: [FIRST, SECOND], more: false } }),
  list('returns to another key what that key reads', {
    rules: ['auth-4', 'auth-5'],
    key: KEYS.south,
    params: {},
    expect: { items: [SOUTH] },
  }),
  list('returns the projects of several organizations in one order', {
    rules: ['list-1', 'auth-4'],
    setUp: ({ plain: { host } }) => {
      host.callers.set('key-both', { keyId: 'both', ownerId: 'ada', organizations: ['south', 'north'] })
      return { key: 'key-both' }
    },
    expect: { items: [FIRST, SECOND, SOUTH] },
  }),
  list('is empty for a key that reads nothing', {
    rules: ['auth-5'],
    key: KEYS.none,
    params: {},
    expect: { items: [], more: false },
  }),
  list('ends a page at its limit and returns a cursor', {
    rules: ['param: projects/list page.limit', 'list-1'],
    params: { page: { limit: 1 } },
    expect: { items: [FIRST], more: true },
  }),
  list('continues after a cursor', {
    rules: ['param: projects/list page.cursor', 'list-2'],
    params: { page: { limit: 1 } },
    setUp: cursorOf({ method: 'projects/list', params: { page: { limit: 1 } } }),
    expect: { items: [SECOND], more: false },
  }),
  list('returns no cursor when the last page is full', {
    rules: ['list-2'],
    params: { page: { limit: 2 } },
    expect: { items: [FIRST, SECOND], more: false },
  }),
  list('accepts the maximum limit', {
    rules: ['limits: page.limit', 'param: projects/list page.limit'],
    params: { page: { limit: 500 } },
    expect: { items: [FIRST, SECOND] },
  }),
  list('accepts an empty page object', {
    rules: ['param: projects/list page'],
    params: { page: {} },
    expect: { items: [FIRST, SECOND] },
  }),
  list('treats null as no cursor', {
    rules: ['param: projects/list page.cursor'],
    params: { page: { cursor: null } },
    expect: { items: [FIRST, SECOND] },
  }),
  list('returns a project created after the first page on the last page', {
    rules: ['list-3'],
    params: { page: { limit: 2 } },
    setUp: async world => {
      const { host } = world.plain
      const { organization, key } = ownProject(world.plain)
      const add = (number: number) =>
        host.addProject({
          projectId: `55555555-5555-4555-8555-55555555555${number}`,
          name: `Late ${number}`,
          organization,
        })
      add(1)
      add(2)
      const { cursor } = await cursorOf({ method: 'projects/list', params: { page: { limit: 2 } }, key })(world)
      add(3)
      return { key, cursor }
    },
    expect: { result: { items: [{ name: 'Late 2' }, { name: 'Late 3' }] }, more: false },
  }),
  ...STATES.map(([name, project, state]) =>
    list(`reports ${name} as ${state}`, {
      rules: ['states-2'],
      setUp: ({ plain }) => ({ key: ownProject(plain, project).key }),
      expect: { result: { items: [{ state }] } },
    }),
  ),
  ...Object.entries(BAD_LIMITS).map(([name, limit]) =>
    list(`refuses a limit: ${name}`, {
      rules: ['limits: page.limit', 'class: INVALID_PARAMS'],
      params: { page: { limit } },
      expect: { class: 'INVALID_PARAMS', data: { path: 'page.limit' }, message: /"page\.limit".* 1 to 500/ },
    }),
  ),
  ...Object.entries(NO_OBJECTS).map(([name, params]) =>
    list(`refuses params: ${name}`, {
      rules: ['class: INVALID_PARAMS'],
      params,
      expect: { class: 'INVALID_PARAMS', data: { path: '' }, message: /object/ },
    }),
  ),
  ...Object.entries(NO_PAGES).map(([name, page]) =>
    list(`refuses a page: ${name}`, {
      rules: ['param: projects/list page'],
      params: { page },
      expect: { class: 'INVALID_PARAMS', data: { path: 'page' } },
    }),
  ),
  ...Object.entries(NO_CURSORS).map(([name, cursor]) =>
    list(`refuses a cursor: ${name}`, {
      rules: ['param: projects/list page.cursor'],
      params: { page: { cursor } },
      expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /projects\/list/ },
    }),
  ),
  list('refuses a cursor that is not a string', {
    rules: ['param: projects/list page.cursor'],
    params: { page: { cursor: 7 } },
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' }, message: /string or null/ },
  }),
  list('refuses the cursor of a query', {
    rules: ['param: projects/list page.cursor'],
    params: { page: {} },
    setUp: cursorOf({
      method: 'projects/query',
      params: { projectId: PROJECT, sql: 'FROM range(3)', page: { limit: 1 } },
    }),
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' } },
  }),
  list('runs and warns about a field that it does not read', {
    rules: ['envelope-1', 'envelope-2', 'envelope-3'],
    params: { limit: 1 },
    expect: { items: [FIRST, SECOND], warnings: ['limit'] },
  }),
  list('warns about every such field, at every depth, in order', {
    rules: ['envelope-3'],
    params: { page: { nextCursor: 'x', limit: 1, more: { and: 'more' } }, sort: null, filter: {} },
    expect: { items: [FIRST], more: true, warnings: ['page.nextCursor', 'page.more', 'sort', 'filter'] },
  }),
  list('puts the warnings of a failed call into its data', {
    rules: ['envelope-4', 'envelope-3'],
    params: { page: { limit: 0, offset: 5 }, sort: 'name' },
    expect: { class: 'INVALID_PARAMS', data: { path: 'page.limit' }, warnings: ['page.offset', 'sort'] },
  }),
  list('warns of fields that are named like parts of objects', {
    rules: ['envelope-3'],
    params: JSON.parse('{"__proto__":{"page":{"limit":0}},"constructor":1,"toString":2}') as unknown,
    expect: { items: [FIRST, SECOND], warnings: ['__proto__', 'constructor', 'toString'] },
  }),
]
