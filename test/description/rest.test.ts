import assert from 'node:assert/strict'
import { ERROR_CLASSES } from 'foldgate'
import { KEYS, type Service } from '../service/service.js'
import { CASES } from './cases.js'
import type { Operation, Schema } from './document.js'
import { headersOf, startWorld, type World } from './world.js'

const API = '/public/v1/api/'
const EXPORT = '/public/v1/exports/{id}'
const JSON_TYPE = 'application/json'

describe('OpenAPI', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  const operationOf = (method: string) => world.openapi.paths[API + method]?.post as Operation

  /** Sends a request, checks that the operation describes the answer, and returns the class of the answer. */
  async function hold(service: Service, operation: Operation, path: string, init: RequestInit): Promise<string> {
    const response = await fetch(service.url + path, init)
    const described = operation.responses[response.status]
    assert.ok(described, `${operation.operationId} does not describe ${response.status}`)
    assert.deepEqual(world.headerFaults(described, response.headers), [], `${response.status}`)
    if (init.method === 'HEAD') {
      assert.equal(described.content, undefined)
      return String(response.status)
    }
    const content = described.content?.[response.headers.get('content-type')?.split(';')[0] as string]
    assert.ok(content, `${operation.operationId} describes ${Object.keys(described.content ?? {})}`)
    if (content.schema.format === 'binary') {
      await response.body?.cancel()
      return 'OK'
    }
    const body = (await response.json()) as { class?: string }
    assert.equal(world.fitsRest(content.schema)(body), null, JSON.stringify(body))
    return response.status === 200 ? 'OK' : String(body.class)
  }

  describe('every method answers as described', () => {
    const METHODS = [...new Set(CASES.map(({ method }) => method))]
    const had = new Set<string>()

    async function run(service: Service, method: string, body: string, key?: string | null): Promise<string> {
      const init = { method: 'POST', headers: headersOf(key), body }
      const outcome = await hold(service, operationOf(method), API + method, init)
      had.add(`${method} ${outcome}`)
      return outcome
    }

    for (const given of CASES) {
      const { method, params, key } = given
      it(`${method}, ${given.about}: ${given.class}`, async () => {
        const outcome = await world.during(given, service => run(service, method, JSON.stringify(params), key))
        assert.equal(outcome, given.class)
        const { schema } = operationOf(method).requestBody?.content[JSON_TYPE] as { schema: Schema }
        const fault = world.fitsRest(schema)(JSON.parse(JSON.stringify(params)))
        assert.equal(fault === null, given.fits ?? given.class !== 'INVALID_PARAMS', fault ?? 'the params fit')
      })
    }

    it('to a body that is not JSON or is too large', async () => {
      const tooLarge = ' '.repeat(world.hasty.api.limits.bodyBytes + 1)
      for (const method of METHODS) {
        assert.equal(await run(world.hasty, method, '{"page":'), 'PARSE_ERROR')
        assert.equal(await run(world.hasty, method, tooLarge), 'INVALID_REQUEST')
      }
    })

    it('to an empty body', async () => {
      for (const method of METHODS) {
        const outcome = await run(world.hasty, method, '')
        assert.equal(outcome, operationOf(method).requestBody?.required ? 'INVALID_PARAMS' : 'OK')
      }
    })

    it('with every described class, except FORBIDDEN from projects/list, which cannot occur', () => {
      const described = METHODS.flatMap(method => classesOf(operationOf(method)).map(name => `${method} ${name}`))
      assert.deepEqual(
        described.filter(name => !had.has(name)),
        ['projects/list FORBIDDEN'],
      )
    })
  })

  /** The error classes that an operation describes. */
  function classesOf({ responses }: Operation): string[] {
    const failures = Object.entries(responses).filter(([status]) => status !== '200')
    return failures.flatMap(([, { content }]) => {
      const schema = content?.[JSON_TYPE]?.schema as { $ref: string; oneOf?: { $ref: string }[] }
      return (schema.oneOf ?? [schema]).map(({ $ref }) => {
        const body = world.openapi.components.schemas[$ref.split('/').at(-1) as string]
        return (body as { properties: { class: { const: string } } }).properties.class.const
      })
    })
  }

  async function exportLink(): Promise<string> {
    const good = CASES.find(({ method }) => method === 'projects/export')
    const { body } = await world.hasty.call('projects/export', good?.params)
    return new URL(body.result?.url as string).pathname
  }

  it('describes how downloads answer, with every class that can occur', async () => {
    const { hasty } = world
    const link = await exportLink()
    const had: string[] = []
    const read = async (method: 'get' | 'head', key?: string | null, path = link) => {
      const init = { method: method.toUpperCase(), headers: headersOf(key) }
      had.push(await hold(hasty, world.openapi.paths[EXPORT]?.[method] as Operation, path, init))
    }
    for (const method of ['get', 'head'] as const) {
      await read(method)
      await read(method, null)
      await read(method, KEYS.south)
      await read(method, KEYS.north, `${link}x`)
      await world.during({ mood: 'projects down' }, () => read(method))
      await world.during({ mood: 'at fault' }, () => read(method))
    }
    hasty.clock.advance(hasty.api.limits.linkValidityMs + 1000)
    await read('get')
    await read('head')
    const expected = ['OK', 'UNAUTHENTICATED', 'NOT_FOUND', 'NOT_FOUND', 'UNAVAILABLE', 'INTERNAL']
    const statuses = expected.map(name => String(ERROR_CLASSES[name as keyof typeof ERROR_CLASSES]?.status ?? 200))
    assert.deepEqual(had, [...expected, ...statuses, 'LINK_EXPIRED', '410'])
    const described = classesOf(world.openapi.paths[EXPORT]?.get as Operation)
    assert.deepEqual(
      described.filter(name => !had.includes(name)),
      [],
    )
  })

  it('describes the paths and verbs that the service answers, and no others', async () => {
    const others = ['', 'api/', 'api/projects/none', 'api/rpc.discover', 'nothing', 'ws', 'json-rpc/', 'openapi.yaml']
    const link = await exportLink()
    for (const path of [...Object.keys(world.openapi.paths), ...others.map(name => `/public/v1/${name}`)]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const address = world.hasty.url + (path === EXPORT ? link : path)
        const response = await fetch(address, { method, headers: headersOf() })
        await response.body?.cancel()
        const answers = response.status !== 404 && response.headers.get('allow') === null
        const described = method.toLowerCase() in (world.openapi.paths[path] ?? {})
        assert.equal(answers, described, `${method} ${path}: ${response.status}`)
      }
    }
  })
})
