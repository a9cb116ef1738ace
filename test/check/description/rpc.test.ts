import assert from 'node:assert/strict'
import { CASES } from '../../description/cases.js'
import type { Operation, RpcMethod, Schema } from '../../description/document.js'
import { headersOf, startWorld, type World } from '../../description/world.js'
import { KEYS, type Service } from '../../service/service.js'

const PATH = '/public/v1/json-rpc'

interface Answer {
  id: unknown
  result?: unknown
  error?: { code: number; data: { class: string } }
}

describe('OpenRPC', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  const methodOf = (name: string) => world.openrpc.methods.find(method => method.name === name) as RpcMethod

  /** Sends a message, checks its answer against both documents, and returns the class of the answer. */
  async function send(service: Service, method: string, text: string, id: unknown, key?: string | null) {
    const response = await fetch(service.url + PATH, { method: 'POST', headers: headersOf(key), body: text })
    assert.equal(response.status, 200)
    const described = world.openapi.paths[PATH]?.post?.responses[200] as Operation['responses'][string]
    assert.deepEqual(world.headerFaults(described, response.headers), [])
    const answer = (await response.json()) as Answer
    const { schema } = described.content?.['application/json'] as { schema: Schema }
    assert.equal(world.fitsRest(schema)(answer), null, JSON.stringify(answer))
    assert.equal(answer.id, id)
    return hold(methodOf(method), answer)
  }

  function hold(described: RpcMethod, answer: Answer): string {
    const { error, result } = answer
    if (!error) {
      assert.equal(world.fitsRpc(described['x-answer'])(answer), null)
      assert.equal(world.fitsRpc(described.result.schema)(result), null)
      return 'OK'
    }
    const named = described.errors.map(({ $ref }) => $ref.split('/').at(-1))
    assert.ok(named.includes(error.data.class), `${described.name} does not describe ${error.data.class}`)
    assert.equal(error.code, world.openrpc.components.errors[error.data.class]?.code)
    const fitting = described['x-errors'].filter(schema => world.fitsRpc(schema)(error) === null)
    assert.equal(fitting.length, 1, JSON.stringify(error))
    return error.data.class
  }

  describe('every method answers as described', () => {
    const had = new Set<string>()

    CASES.forEach((given, id) => {
      const { method, params, key } = given
      it(`${method}, ${given.about}: ${given.class}`, async () => {
        const text = JSON.stringify({ jsonrpc: '2.0', id, method, params })
        const outcome = await world.during(given, service => send(service, method, text, id, key))
        assert.equal(outcome, given.class)
        had.add(`${method} ${outcome}`)
        const fault = world.fitsRpc(methodOf(method)['x-params'])(JSON.parse(JSON.stringify(params)))
        assert.equal(fault === null, given.fits ?? given.class !== 'INVALID_PARAMS', fault ?? 'the params fit')
      })
    })

    it('also to messages that are not calls', async () => {
      const broken: [string, string, unknown][] = [
        ['{"jsonrpc":', 'PARSE_ERROR', null],
        ['', 'PARSE_ERROR', null],
        ['[]', 'INVALID_REQUEST', null],
        ['{"jsonrpc":"2.0","method":"projects/list"}', 'INVALID_REQUEST', null],
        ['{"jsonrpc":"1.0","id":"a","method":"projects/list"}', 'INVALID_REQUEST', 'a'],
        ['{"jsonrpc":"2.0","id":7,"method":"projects/none"}', 'METHOD_NOT_FOUND', 7],
      ]
      for (const [text, errorClass, id] of broken)
        assert.equal(await send(world.hasty, 'projects/list', text, id), errorClass, text)
    })

    it('with every class that is described, except those given before a method is known', () => {
      const early = ['PARSE_ERROR', 'INVALID_REQUEST', 'METHOD_NOT_FOUND']
      const described = world.openrpc.methods.slice(0, -1).flatMap(({ name, errors }) => {
        const classes = errors.map(({ $ref }) => $ref.split('/').at(-1) as string)
        return classes.filter(errorClass => !early.includes(errorClass)).map(errorClass => `${name} ${errorClass}`)
      })
      assert.deepEqual(
        described.filter(name => !had.has(name)),
        ['projects/list FORBIDDEN'],
      )
    })
  })

  it('is what rpc.discover answers', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 'd', method: 'rpc.discover', params: {} })
    assert.equal(await send(world.hasty, 'rpc.discover', text, 'd'), 'OK')
    const answer = await world.hasty.api.adapter.receive(text, { authorization: `Bearer ${KEYS.north}` })
    assert.deepEqual((JSON.parse(answer) as Answer).result, world.openrpc)
  })
})
