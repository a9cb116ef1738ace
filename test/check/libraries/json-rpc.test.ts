import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { type Built, build, type Program } from '../programs.js'
import { Conversation } from './conversation.js'
import { recordingMount, type Sent } from './recorded.js'

/** What a library gave for a call. `code` is absent if it is not the failure that the service answered. */
interface Outcome {
  result?: { items: Record<string, unknown>[]; nextCursor?: string }
  warnings?: { path: string }[]
  error?: { code?: number; message: string; data?: unknown }
}

interface Library {
  name: string
  program: keyof typeof PROGRAMS
  /** Its name in the program. */
  as: string
  over?: 'socket'
  /** The type of the ids that it makes. */
  id: 'number' | 'string'
  /** What it sends as params of a call without any; undefined for nothing. */
  params?: unknown
  /** The coding of long answers that it accepts; undefined for none. */
  coding?: 'gzip'
  /** What it does with an answer that has warnings. */
  warnings: 'returned' | 'dropped' | RegExp
}

const sourceOf = (name: string) => fileURLToPath(new URL(`./json-rpc/${name}`, import.meta.url))
const PIP = '-m pip install --quiet --no-input --disable-pip-version-check --retries 1 -r requirements.txt'
const NPM = 'npm install --ignore-scripts --no-audit --no-fund --no-package-lock --prefer-offline'

const PROGRAMS = {
  node: { source: sourceOf('node'), fetch: [NPM.split(' ')], start: [process.execPath, 'call.mjs'] },
  python: {
    source: sourceOf('python'),
    fetch: ['python3 -m venv venv'.split(' '), ['venv/bin/python', ...PIP.split(' ')]],
    start: ['venv/bin/python', '-B', 'call.py'],
  },
  go: {
    source: sourceOf('go'),
    fetch: [['go', 'mod', 'download']],
    compile: [['go', 'build', '-o', 'call', '.']],
    start: ['./call'],
  },
  rust: {
    source: sourceOf('rust'),
    fetch: [['cargo', 'fetch', '--quiet', '--locked']],
    compile: [['cargo', 'build', '--quiet', '--locked', '--offline', '--target-dir', 'target']],
    start: ['target/debug/call'],
  },
} satisfies Record<string, Program>

const LIBRARIES: readonly Library[] = [
  {
    name: '@open-rpc/client-js',
    program: 'node',
    as: 'open-rpc',
    id: 'string',
    params: [],
    coding: 'gzip',
    warnings: 'dropped',
  },
  { name: 'jayson', program: 'node', as: 'jayson', id: 'string', warnings: 'returned' },
  { name: 'jayson', program: 'node', as: 'jayson-socket', over: 'socket', id: 'string', warnings: 'returned' },
  { name: 'json-rpc-2.0', program: 'node', as: 'json-rpc-2.0', id: 'number', coding: 'gzip', warnings: 'dropped' },
  { name: 'rpc-websockets', program: 'node', as: 'rpc-websockets', over: 'socket', id: 'number', warnings: 'dropped' },
  { name: 'jsonrpcclient', program: 'python', as: 'jsonrpcclient', id: 'number', coding: 'gzip', warnings: 'dropped' },
  {
    name: 'tinyrpc',
    program: 'python',
    as: 'tinyrpc',
    id: 'number',
    coding: 'gzip',
    warnings: /Key not allowed: warnings/,
  },
  { name: 'ybbus/jsonrpc', program: 'go', as: 'ybbus', id: 'number', coding: 'gzip', warnings: 'dropped' },
  {
    name: 'creachadair/jrpc2',
    program: 'go',
    as: 'jrpc2',
    id: 'number',
    coding: 'gzip',
    warnings: /extra fields/,
  },
  { name: 'jsonrpc', program: 'rust', as: 'jsonrpc', id: 'number', params: null, warnings: 'dropped' },
]

const ROWS = Array.from({ length: 700 }, (_, n) => ({ n, square: n * n }))
const SQL = 'SELECT n, n * n AS square FROM range(700) t(n) ORDER BY n'
const BUILD_MS = 600_000

/** Unmodified clients of others for JSON-RPC call a service. */
describe('JSON-RPC libraries', function () {
  this.timeout(30_000)
  const sent: Sent[] = []
  const built = new Map<string, Promise<Built | null>>()
  let service: Service
  before(async function () {
    this.timeout(BUILD_MS)
    for (const [name, program] of Object.entries(PROGRAMS)) built.set(name, build(program))
    const all = await Promise.allSettled([startService({ mount: recordingMount(sent) }), ...built.values()])
    if (all[0].status === 'rejected') throw all[0].reason
    service = all[0].value
    for (const [name, program] of built)
      if ((await program) === null) console.log(`Left out: JSON-RPC libraries of ${name}, which cannot be had.`)
  })
  after(() => service.close())

  /** Starts a program that calls through a library. */
  async function start(test: Mocha.Context, { program, as }: Pick<Library, 'program' | 'as'>, key = KEYS.north) {
    const ready = await built.get(program)
    if (!ready) return test.skip()
    const conversation = new Conversation(ready, [as], {
      FOLDGATE_URL: `${service.url}/public/v1/json-rpc`,
      FOLDGATE_SOCKET_URL: `${service.url.replace('http', 'ws')}/public/v1/ws`,
      FOLDGATE_KEY: key,
    })
    const call = async (method: string, params?: object) => {
      sent.length = 0
      return (await conversation.ask({ method, params })) as Outcome
    }
    return { call, close: () => conversation.close() }
  }

  /** Starts a program, lists the projects, and ends the program. */
  async function listOnce(...given: Parameters<typeof start>): Promise<Outcome> {
    const { call, close } = await start(...given)
    return call('projects/list').finally(close)
  }

  for (const library of LIBRARIES)
    describe(`${library.name} of ${library.program} over ${library.over ?? 'HTTP'}`, () => {
      let call: (method: string, params?: object) => Promise<Outcome>
      let close: (() => Promise<void>) | undefined
      before(async function () {
        ;({ call, close } = await start(this, library))
      })
      after(() => close?.())

      it('lists projects without params, with an id of its own', async () => {
        const { body } = await service.call('projects/list')
        assert.equal(body.result?.items?.length, 2)
        const { result, error } = await call('projects/list')
        assert.deepEqual(result, body.result, error?.message)
        const [message] = sent.map(each => each.message)
        assert.deepEqual([typeof message?.id, message?.params], [library.id, library.params])
      })

      it('reads a query over two pages', async () => {
        const query = { projectId: PROJECT, sql: SQL }
        const first = await call('projects/query', { ...query, page: { limit: 500 } })
        assert.equal(first.result?.items.length, 500, first.error?.message)
        assert.equal(sent[0]?.coding, library.coding)
        const page = { limit: 500, cursor: first.result.nextCursor }
        const second = await call('projects/query', { ...query, page })
        assert.ok(second.result, second.error?.message)
        assert.ok(!('nextCursor' in second.result))
        assert.deepEqual([...first.result.items, ...second.result.items], ROWS)
      })

      it('gets a failure with its code, class and detail', async () => {
        const { error } = await call('projects/query', { projectId: PROJECT, sql: 'SELECT\nnope' })
        assert.equal(error?.code, 1422)
        assert.match(error.message, /nope/)
        const { class: errorClass, detail } = error.data as { class: string; detail: { line: number } }
        assert.deepEqual([errorClass, detail.line], ['INVALID_QUERY', 2])
      })

      it('is told that a key is unknown', async function () {
        const listing = listOnce(this, library, 'nobody')
        if (library.over === 'socket') return assert.rejects(listing, /Unexpected server response: 401/)
        const { error } = await listing
        assert.deepEqual([error?.code, error?.data], [1401, { class: 'UNAUTHENTICATED' }])
      })

      it(`${typeof library.warnings === 'string' ? 'accepts' : 'refuses'} an answer with warnings`, async () => {
        const { warnings: expected } = library
        const { result, warnings, error } = await call('projects/list', { page: { limit: 1 }, order: 'name' })
        if (expected instanceof RegExp) {
          assert.equal(result, undefined)
          return assert.match(error?.message ?? '', expected)
        }
        assert.equal(result?.items.length, 1, error?.message)
        const paths = warnings?.map(({ path }) => path)
        assert.deepEqual(paths, expected === 'returned' ? ['order'] : undefined)
      })
    })

  it('ybbus/jsonrpc refuses an answer with warnings without AllowUnknownFields', async function () {
    const { call, close } = await start(this, { program: 'go', as: 'ybbus-strict' })
    const { error } = await call('projects/list', { order: 'name' }).finally(close)
    assert.match(error?.message ?? '', /unknown field "warnings"/)
  })

  it('@open-rpc/client-js opens no WebSocket, as it cannot send the key', async function () {
    const listing = listOnce(this, { program: 'node', as: 'open-rpc-socket' })
    await assert.rejects(listing, /Unexpected server response: 401/)
  })

  it("the transports of Rust's jsonrpc cannot send the key", async function () {
    const { error } = await listOnce(this, { program: 'rust', as: 'simple-http' })
    assert.deepEqual([error?.code, error?.data], [1401, { class: 'UNAUTHENTICATED' }])
  })
})
