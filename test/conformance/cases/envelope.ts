import { gzipSync } from 'node:zlib'
import type { EnvelopeCase } from '../entry/frame.js'
import { message, PROJECTS } from './message.js'

/** Ids that answers repeat unchanged. */
const IDS: Record<string, string | number> = {
  'a string': 'a-1',
  'an empty string': '',
  'a string that looks like a number': '7',
  'a string with non-ASCII characters': 'größe 🌍 \u0000',
  'a long string': 'x'.repeat(10_000),
  'a number': 7,
  zero: 0,
  'a negative number': -1,
  'a fractional number': 1.5,
  'the largest exact number': 9_007_199_254_740_991,
}

/** Values that are not ids; the id of the answer is null. */
const NO_IDS: Record<string, string> = {
  null: 'null',
  'an object': '{"a":1}',
  'a list': '[1]',
  'a boolean': 'true',
  'a number that would lose precision': '9007199254740993',
  'a number that is out of range': '1e400',
}

/** Messages that are JSON but not requests, with their id if it can be read. */
const NO_REQUESTS: [name: string, text: string, id: string | null][] = [
  ['null', 'null', null],
  ['a number', '1', null],
  ['a string', '"projects/list"', null],
  ['true', 'true', null],
  ['an empty object', '{}', null],
  ['no id: a notification', '{"jsonrpc":"2.0","method":"projects/list"}', null],
  ['an empty batch', '[]', null],
  ['a batch of one call', `[${message({})}]`, null],
  ['a batch of two', `[${message({ id: 1 })},${message({ id: 2 })}]`, null],
  ['a batch of null', '[null]', null],
  ['no jsonrpc', '{"id":"i","method":"projects/list"}', 'i'],
  ['another jsonrpc', message({ jsonrpc: '1.0' }), 'i'],
  ['jsonrpc as a number', message({ jsonrpc: 2 }), 'i'],
  ['no method', '{"jsonrpc":"2.0","id":"i"}', 'i'],
  ['method null', message({ method: null }), 'i'],
  ['method a number', message({ method: 1 }), 'i'],
  ['method a list', message({ method: ['projects/list'] }), 'i'],
  ['an answer instead of a request', '{"jsonrpc":"2.0","id":"i","result":{}}', 'i'],
]

/** Messages that are not JSON. */
const NO_JSON: Record<string, string | Buffer> = {
  empty: '',
  blanks: ' \n',
  'cut short': '{"jsonrpc":"2.0","id":"i"',
  'with more behind it': `${message({})} {}`,
  'in single quotes': "{'jsonrpc':'2.0'}",
  'with a comma too many': '{"jsonrpc":"2.0",}',
  'lists in lists, never closed': '['.repeat(100_000),
}

/** Unknown methods. */
const NO_METHODS = ['projects/drop', 'rpc.none', 'rpc.Discover', 'toString', 'constructor', '__proto__', '']

/** Params that are not an object. */
const NO_PARAMS: Record<string, unknown> = {
  'a list of params': [{ page: {} }],
  'a list of null': [null],
  'a string': 'x',
  'an empty string': '',
  zero: 0,
}

/** A request as it is sent by clients that compress. Without its header, only these two can be told from other bytes. */
const COMPRESSED: Record<string, Buffer> = {
  gzip: gzipSync(message({})),
  zstd: Buffer.from('28b52ffd0458', 'hex'),
}

/** Valid and invalid messages, and how much of them is read. */
export const envelopeCases: EnvelopeCase[] = [
  ...Object.entries(IDS).map(
    ([name, id]): EnvelopeCase => ({
      name: `an id that is ${name} is repeated`,
      rules: ['entry: JSON-RPC', 'entry: WebSocket'],
      frame: message({ id }),
      expect: { id, result: PROJECTS },
    }),
  ),
  ...Object.entries(NO_IDS).map(
    ([name, id]): EnvelopeCase => ({
      name: `an id that is ${name} is refused`,
      rules: ['class: INVALID_REQUEST'],
      frame: message({}).replace('"i"', id),
      expect: { id: null, class: 'INVALID_REQUEST', detail: null },
    }),
  ),
  ...NO_REQUESTS.map(
    ([name, frame, id]): EnvelopeCase => ({
      name: `not a request: ${name}`,
      rules: ['class: INVALID_REQUEST', 'entry: JSON-RPC'],
      frame,
      expect: { id, class: 'INVALID_REQUEST', detail: null },
    }),
  ),
  ...Object.entries(NO_JSON).map(
    ([name, frame]): EnvelopeCase => ({
      name: `no JSON: ${name}`,
      rules: ['class: PARSE_ERROR'],
      frame,
      expect: { id: null, class: 'PARSE_ERROR', detail: null },
    }),
  ),
  {
    name: 'no UTF-8',
    rules: ['class: PARSE_ERROR'],
    only: ['JSON-RPC over HTTP'],
    frame: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    expect: { id: null, class: 'PARSE_ERROR' },
  },
  {
    name: 'a binary frame',
    rules: ['entry: WebSocket', 'class: INVALID_REQUEST'],
    only: ['JSON-RPC over WebSocket'],
    frame: Buffer.from(message({})),
    expect: { id: null, class: 'INVALID_REQUEST' },
  },
  {
    name: 'a body over the cap',
    rules: ['class: INVALID_REQUEST'],
    only: ['JSON-RPC over HTTP'],
    frame: message({ params: { x: 'x'.repeat(1024 * 1024) } }),
    expect: { id: null, class: 'INVALID_REQUEST' },
  },
  ...NO_METHODS.map(
    (method): EnvelopeCase => ({
      name: `an unknown method: "${method}"`,
      rules: ['class: METHOD_NOT_FOUND'],
      frame: message({ method }),
      expect: { id: 'i', class: 'METHOD_NOT_FOUND', detail: null },
    }),
  ),
  {
    name: 'an unknown method with params as a list',
    rules: ['class: METHOD_NOT_FOUND'],
    frame: message({ method: 'projects/drop', params: [] }),
    expect: { id: 'i', class: 'METHOD_NOT_FOUND', detail: null },
  },
  ...Object.entries(NO_PARAMS).map(
    ([name, params]): EnvelopeCase => ({
      name: `params that are ${name}`,
      rules: ['class: INVALID_PARAMS', 'entry: JSON-RPC'],
      frame: message({ params }),
      expect: { id: 'i', class: 'INVALID_PARAMS', detail: { path: '' } },
    }),
  ),
  // Generic clients send null or an empty list for no params.
  ...[undefined, null, []].flatMap((params): EnvelopeCase[] => [
    {
      name: `${JSON.stringify(params)} as params counts as {}`,
      rules: ['entry: JSON-RPC'],
      frame: message({ params }),
      expect: { id: 'i', result: PROJECTS },
    },
    {
      name: `${JSON.stringify(params)} as params of a method that requires some`,
      rules: ['class: INVALID_PARAMS'],
      frame: message({ method: 'projects/describe', params }),
      expect: { id: 'i', class: 'INVALID_PARAMS', detail: { path: 'projectId' } },
    },
  ]),
  ...Object.entries(COMPRESSED).map(
    ([name, frame]): EnvelopeCase => ({
      name: `a body compressed with ${name}`,
      rules: ['class: INVALID_REQUEST'],
      only: ['JSON-RPC over HTTP'],
      frame,
      expect: { id: null, class: 'INVALID_REQUEST', detail: null },
    }),
  ),
]
