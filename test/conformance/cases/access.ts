import { FOREIGN_PROJECT, KEYS, PROJECT } from '../../service/service.js'
import type { Case } from '../entry/case.js'
import { BROKEN_KEY, BROKEN_PROJECT, ownProject, SPENT_KEY } from '../entry/world.js'
import { projectWith } from './made.js'

const METHODS = ['projects/list', 'projects/describe', 'projects/query', 'projects/export']
const OF_PROJECTS = METHODS.slice(1)
const PARAMS = { projectId: PROJECT, sql: 'SELECT 1 AS one' }
/** The warning for the param that describe does not read. */
const unread = (method: string) => (method === 'projects/describe' ? { warnings: ['sql'] } : {})
const NOWHERE = '99999999-9999-4999-8999-999999999999'

/** Invalid credentials. */
const NO_KEYS: [string, string | null][] = [
  ['no key', null],
  ['an unknown key', 'nobody'],
  ['a key in capitals', KEYS.north.toUpperCase()],
  ['a key followed by another word', `${KEYS.north} x`],
  ['a key of a thousand characters', 'k'.repeat(1000)],
]

export const accessCases: Case[] = [
  ...METHODS.flatMap(method =>
    NO_KEYS.slice(0, 2).map(
      ([name, key]): Case => ({
        name: `${method} with ${name}`,
        rules: ['auth-1', 'auth-3', 'class: UNAUTHENTICATED'],
        method,
        params: PARAMS,
        key,
        expect: { class: 'UNAUTHENTICATED' },
      }),
    ),
  ),
  ...NO_KEYS.slice(2).map(
    ([name, key]): Case => ({
      name: `a call with ${name}`,
      rules: ['auth-2', 'auth-3'],
      method: 'projects/list',
      key,
      expect: { class: 'UNAUTHENTICATED' },
    }),
  ),
  {
    name: 'a call with a revoked key',
    rules: ['auth-3', 'class: UNAUTHENTICATED'],
    method: 'projects/list',
    setUp: ({ plain }) => {
      const { key } = ownProject(plain)
      plain.host.callers.delete(key)
      return { key }
    },
    expect: { class: 'UNAUTHENTICATED' },
  },
  {
    name: 'an unknown method without a key',
    rules: ['auth-3'],
    method: 'projects/drop',
    key: null,
    expect: { class: 'UNAUTHENTICATED' },
  },
  {
    name: 'wrong params without a key',
    rules: ['auth-3'],
    method: 'projects/query',
    params: [],
    key: null,
    expect: { class: 'UNAUTHENTICATED' },
  },
  ...['projects/drop', 'Projects/List', 'projects', 'projects/list/', 'toString', '__proto__'].map(
    (method): Case => ({
      name: `an unknown method: ${method}`,
      rules: ['class: METHOD_NOT_FOUND'],
      method,
      params: {},
      expect: {
        class: 'METHOD_NOT_FOUND',
        message: /projects\/list, projects\/describe, projects\/query, projects\/export/,
      },
    }),
  ),
  {
    name: 'an unknown method with params that are not an object',
    rules: ['class: METHOD_NOT_FOUND'],
    method: 'projects/drop',
    params: [1],
    expect: { class: 'METHOD_NOT_FOUND' },
  },
  ...OF_PROJECTS.flatMap(method =>
    [FOREIGN_PROJECT, NOWHERE].map(
      (projectId): Case => ({
        name: `${method} of a project that ${projectId === NOWHERE ? 'does not exist' : 'another organization owns'}`,
        rules: ['auth-6', 'class: FORBIDDEN'],
        method,
        params: { ...PARAMS, projectId },
        expect: {
          class: 'FORBIDDEN',
          data: { path: 'projectId' },
          message: /^The key can read no project with this id\.$/,
          ...unread(method),
        },
      }),
    ),
  ),
  {
    name: 'a key that reads nothing',
    rules: ['auth-6', 'auth-4'],
    method: 'projects/query',
    params: PARAMS,
    key: KEYS.none,
    expect: { class: 'FORBIDDEN' },
  },
  {
    name: 'a key whose owner has lost the organization',
    rules: ['auth-4', 'class: FORBIDDEN'],
    method: 'projects/query',
    params: PARAMS,
    setUp: async world => {
      const given = await projectWith({ completed: true })(world)
      world.plain.host.callers.set(given.key ?? '', { keyId: 'lost', ownerId: 'ada', organizations: [] })
      return given
    },
    expect: { class: 'FORBIDDEN' },
  },
  {
    name: 'access to the project is checked before the statement',
    rules: ['auth-6'],
    method: 'projects/query',
    params: { projectId: FOREIGN_PROJECT, sql: 'DROP TABLE amounts' },
    expect: { class: 'FORBIDDEN' },
  },
  {
    name: 'params are checked before access to the project',
    rules: ['class: INVALID_PARAMS'],
    method: 'projects/query',
    params: { projectId: FOREIGN_PROJECT, sql: 1 },
    expect: { class: 'INVALID_PARAMS', data: { path: 'sql' } },
  },
  ...METHODS.map(
    (method): Case => ({
      name: `${method} beyond the quota`,
      rules: ['limits: quota', 'class: RATE_LIMITED'],
      method,
      params: PARAMS,
      key: SPENT_KEY,
      expect: { class: 'RATE_LIMITED', data: { retryAfterSeconds: /^3(600|5\d\d)$/ } },
    }),
  ),
  {
    name: 'an unknown method beyond the quota',
    rules: ['limits: quota'],
    method: 'projects/drop',
    key: SPENT_KEY,
    expect: { class: 'RATE_LIMITED' },
  },
  {
    name: 'projects/list while the database of keys is down',
    rules: ['class: UNAVAILABLE'],
    method: 'projects/list',
    key: BROKEN_KEY,
    expect: { class: 'UNAVAILABLE' },
  },
  ...OF_PROJECTS.map(
    (method): Case => ({
      name: `${method} while the database of projects is down`,
      rules: ['class: UNAVAILABLE'],
      method,
      params: { ...PARAMS, projectId: BROKEN_PROJECT },
      expect: { class: 'UNAVAILABLE', ...unread(method) },
    }),
  ),
]
