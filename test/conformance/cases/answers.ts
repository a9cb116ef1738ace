import { KEYS, PROJECT } from '../../service/service.js'
import type { EnvelopeCase } from '../entry/frame.js'
import { SPENT_KEY } from '../entry/world.js'
import { message, PROJECTS } from './message.js'

const LIMIT = { page: { limit: 0 } }

/** Requests, and the envelopes of their results and failures. */
export const answerCases: EnvelopeCase[] = [
  {
    name: 'members that JSON-RPC does not define',
    rules: ['entry: JSON-RPC'],
    frame: message({ key: 'x', result: 1, error: 2, meta: {} }),
    expect: { id: 'i', result: PROJECTS },
  },
  {
    name: 'a byte order mark and surrounding blanks',
    rules: ['entry: JSON-RPC'],
    frame: `\ufeff\n ${message({})}\n`,
    expect: { id: 'i', result: PROJECTS },
  },
  {
    name: 'a repeated member: the last one counts',
    rules: ['entry: JSON-RPC'],
    frame: message({}).replace('"id":"i"', '"id":"first","id":"last"'),
    expect: { id: 'last', result: PROJECTS },
  },
  {
    name: 'warnings beside the result',
    rules: ['envelope-2'],
    frame: message({ params: { x: 1, page: { limit: 500, y: 2 } } }),
    expect: { id: 'i', result: PROJECTS, warnings: ['x', 'page.y'] },
  },
  {
    name: 'warnings of a failure in the detail of its data',
    rules: ['envelope-4'],
    frame: message({ params: { ...LIMIT, x: 1 } }),
    expect: {
      id: 'i',
      class: 'INVALID_PARAMS',
      detail: { path: 'page.limit', warnings: [{ path: 'x', message: 'The method does not read this field.' }] },
    },
  },
  {
    name: 'the detail of a refused statement',
    rules: ['envelope-4', 'class: INVALID_QUERY'],
    frame: message({ method: 'projects/query', params: { projectId: PROJECT, sql: 'SELECT *\nFROM amount' } }),
    expect: { id: 'i', class: 'INVALID_QUERY', detail: { rule: 'relation', name: 'amount', line: 2, column: 6 } },
  },
  {
    name: 'rpc.discover: the description',
    rules: ['entry: JSON-RPC'],
    frame: message({ method: 'rpc.discover' }),
    expect: { id: 'i', result: { openrpc: '1.3.2' } },
  },
  {
    name: 'rpc.discover with a field that it does not read',
    rules: ['envelope-3'],
    frame: message({ method: 'rpc.discover', params: { version: 1 } }),
    expect: { id: 'i', result: { openrpc: '1.3.2' }, warnings: ['version'] },
  },
  {
    name: 'rpc.discover with params as a list',
    rules: ['class: INVALID_PARAMS'],
    frame: message({ method: 'rpc.discover', params: [1] }),
    expect: { id: 'i', class: 'INVALID_PARAMS', detail: { path: '' } },
  },
  ...[null, 'nobody'].flatMap((key): EnvelopeCase[] => {
    const who = key === null ? 'without a key' : 'with an unknown key'
    const refused = (name: string, frame: string, id: string | null): EnvelopeCase => ({
      name: `${name} ${who}`,
      rules: ['auth-3', 'class: UNAUTHENTICATED', 'entry: JSON-RPC'],
      frame,
      key,
      expect: { id, class: 'UNAUTHENTICATED', detail: null },
    })
    return [
      refused('a call', message({}), 'i'),
      refused('rpc.discover', message({ method: 'rpc.discover' }), 'i'),
      refused('an unknown method', message({ method: 'none' }), 'i'),
      refused('a wrong jsonrpc', message({ jsonrpc: '1.0' }), 'i'),
      refused('a notification', '{"jsonrpc":"2.0","method":"projects/list"}', null),
      refused('a batch', `[${message({})}]`, null),
      refused('an invalid id', message({ id: {} }), null),
      refused('no JSON', '{"id":', null),
    ]
  }),
  {
    name: 'a call beyond the quota',
    rules: ['limits: quota', 'class: RATE_LIMITED'],
    frame: message({}),
    key: SPENT_KEY,
    expect: { id: 'i', class: 'RATE_LIMITED', detail: { retryAfterSeconds: /^3(600|5\d\d)$/ } },
  },
  ...(['GET', 'PUT', 'DELETE'] as const).flatMap((verb): EnvelopeCase[] => [
    {
      name: `${verb} instead of POST`,
      rules: ['entry: JSON-RPC', 'class: INVALID_REQUEST'],
      only: ['JSON-RPC over HTTP'],
      verb,
      frame: verb === 'GET' ? null : message({}),
      expect: { id: null, class: 'INVALID_REQUEST', detail: null },
    },
    {
      name: `${verb} instead of POST, without a key`,
      rules: ['entry: JSON-RPC', 'auth-3'],
      only: ['JSON-RPC over HTTP'],
      verb,
      frame: null,
      key: null,
      expect: { id: null, class: 'UNAUTHENTICATED', detail: null },
    },
  ]),
  {
    name: 'a call with a key that reads nothing',
    rules: ['auth-5', 'entry: JSON-RPC'],
    frame: message({}),
    key: KEYS.none,
    expect: { id: 'i', result: { items: [] } },
  },
]
