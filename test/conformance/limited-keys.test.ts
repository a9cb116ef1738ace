import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Caller, CallerLimits, HttpRequest } from 'foldgate'
import { connectAgent } from '../check/mcp/agent.js'
import { idOf, type LimitedService, startLimited } from '../service/limited.js'
import { FOREIGN_PROJECT, KEYS, OTHER_PROJECT, PROJECT, type Service } from '../service/service.js'

const METHODS = ['projects/list', 'projects/describe', 'projects/query', 'projects/export'] as const
const PARAMS = {
  'projects/list': {},
  'projects/describe': { projectId: PROJECT },
  'projects/query': { projectId: PROJECT, sql: 'SELECT 1 AS a' },
  'projects/export': { projectId: PROJECT, sql: 'SELECT 1 AS a' },
}

describe('a limited key', () => {
  let of: LimitedService
  let service: Service
  before(async () => {
    of = await startLimited()
    service = of.service
  })
  after(() => of.close())

  const limited = (only: CallerLimits) => of.limited(only)
  const get = (path: string, key: string) => of.get(path, key)
  const everywhere = (method: string, params: unknown, key: string) => of.everywhere(method, params, key)

  describe('to projects', () => {
    it('reads them, and finds no others, as it finds none that do not exist', async () => {
      const key = limited({ projects: [OTHER_PROJECT, FOREIGN_PROJECT] })
      const unknown = await everywhere('projects/query', { ...PARAMS['projects/query'], projectId: randomUUID() }, key)
      assert.deepEqual([unknown.outcome, unknown.data], ['FORBIDDEN', { path: 'projectId' }])
      for (const method of METHODS.slice(1)) {
        const params = PARAMS[method as 'projects/query']
        assert.equal((await everywhere(method, { ...params, projectId: OTHER_PROJECT }, key)).outcome, 'OK')
        for (const projectId of [PROJECT, PROJECT.toUpperCase(), FOREIGN_PROJECT]) {
          const refused = await everywhere(method, { ...params, projectId }, key)
          assert.deepEqual(
            [refused.outcome, refused.message, refused.data],
            ['FORBIDDEN', unknown.message, unknown.data],
          )
        }
      }
    })

    it('lists them alone, on every page', async () => {
      const { host } = service
      const made = Array.from({ length: 12 }, () => host.addProject({ projectId: randomUUID() }))
      const ids = made.map(({ projectId }) => projectId)
      const some = [...ids.filter((_, at) => at % 3 === 0), OTHER_PROJECT]
      const expected = host.projects.map(({ projectId }) => projectId).filter(id => some.includes(id))
      // More than are looked up one by one: these are searched for in the list.
      const padded = [...some, ...Array.from({ length: 100 }, () => randomUUID())]
      for (const projects of [some, [...some, ...some], padded]) {
        const key = limited({ projects: [...projects].reverse() })
        assert.deepEqual((await everywhere('projects/list', {}, key)).result.items.map(idOf), expected)
        const seen: string[] = []
        for (let cursor: string | undefined; ; ) {
          const page = { limit: 2, ...(cursor ? { cursor } : {}) }
          const { result } = await everywhere('projects/list', { page }, key)
          seen.push(...result.items.map(idOf))
          cursor = result.nextCursor
          if (!cursor) break
          assert.equal(result.items.length, 2)
        }
        assert.deepEqual(seen, expected)
      }
      assert.deepEqual((await everywhere('projects/list', {}, limited({ projects: [] }))).result, { items: [] })
      host.projects.splice(-made.length)
    })

    it('searches a bounded part of a long list at a time, and goes on from there', async () => {
      const { host } = service
      const made = Array.from({ length: 10_100 }, () => host.addProject({ projectId: randomUUID() }))
      const last = made.at(-1)?.projectId as string
      const key = limited({ projects: [last, ...Array.from({ length: 100 }, () => randomUUID())] })
      const first = await of.entries.enter.REST('projects/list', {}, key)
      assert.deepEqual(first.result.items, [])
      const second = await of.entries.enter.REST('projects/list', { page: { cursor: first.result.nextCursor } }, key)
      assert.deepEqual([second.result.items.map(idOf), second.result.nextCursor], [[last], undefined])
      host.projects.splice(-made.length)
    })

    it('downloads no file of another', async () => {
      const { result } = await of.entries.enter.REST('projects/export', PARAMS['projects/export'], KEYS.north)
      const path = result.url.slice(service.url.length)
      assert.equal((await get(path, KEYS.mate)).status, 200)
      assert.equal((await get(path, limited({ projects: [OTHER_PROJECT] }))).status, 404)
    })
  })

  describe('to methods', () => {
    it('calls them alone, and is told so before its params are read', async () => {
      for (const allowed of METHODS) {
        const key = limited({ methods: [allowed] })
        for (const method of METHODS) {
          const ended = await everywhere(method, PARAMS[method], key)
          if (method === allowed) assert.equal(ended.outcome, 'OK')
          else {
            assert.deepEqual([ended.outcome, ended.message], ['FORBIDDEN', 'The key cannot call this method.'])
            assert.equal((await of.entries.enter.REST(method, { projectId: 7 }, key)).outcome, 'FORBIDDEN')
          }
        }
      }
    })

    it('is shown them alone', async () => {
      const key = limited({ methods: ['projects/list', 'projects/query'] })
      const { result } = await of.entries.enter['JSON-RPC']('rpc.discover', {}, key)
      const names = result.methods.map(({ name }: { name: string }) => name)
      assert.deepEqual(
        names.filter((name: string) => name.startsWith('projects/')),
        ['projects/list', 'projects/query'],
      )
      const unknown = await everywhere('projects/forget', {}, key)
      assert.deepEqual(
        [unknown.outcome, unknown.message],
        ['METHOD_NOT_FOUND', 'There is no such method. The methods are projects/list, projects/query.'],
      )
      const agent = await connectAgent(service, key)
      const { tools } = await agent.client.listTools()
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['projects_list', 'projects_query'])
      assert.doesNotMatch(agent.client.getInstructions() ?? '', /projects_(describe|export)|catalogue and/)
      await assert.rejects(agent.client.callTool({ name: 'projects_describe', arguments: PARAMS['projects/describe'] }))
      await agent.close()
    })

    it('reads the catalogue if it may describe projects', async () => {
      const path = '/public/v1/catalogue.json'
      const { status, body } = await get(path, limited({ methods: ['projects/query'] }))
      assert.deepEqual([status, body.class, body.message], [403, 'FORBIDDEN', 'The key cannot call this method.'])
      assert.deepEqual(await get(path, limited({ methods: ['projects/describe'] })), await get(path, KEYS.north))
      const resource = async (key: string) => {
        const agent = await connectAgent(service, key)
        return agent.read('foldgate://catalogue').finally(() => agent.close())
      }
      assert.match(await resource(limited({ methods: ['projects/describe'] })), /fold_totals/)
      await assert.rejects(resource(limited({ methods: ['projects/query'] })))
    })

    it('reaches no path of the host', async () => {
      const ask = async (only: CallerLimits) => {
        const key = limited(only)
        const request: HttpRequest = {
          ...{ method: 'GET', path: '/things', signal: new AbortController().signal },
          header: name => (name === 'authorization' ? `Bearer ${key}` : null),
          readBody: () => assert.fail('the body is read'),
        }
        return (await service.api.adapter.answerAs(request, 'things', async ({ only }) => ({ body: { only } }))).status
      }
      assert.equal(await ask({ methods: [...METHODS] }), 403)
      assert.equal(await ask({ projects: [PROJECT] }), 200)
    })
  })

  describe('to named queries', () => {
    it('calls no method but projects/list, and is shown no other', async () => {
      const key = limited({ queries: ['revenue@1'] })
      for (const method of METHODS) {
        const ended = await everywhere(method, PARAMS[method], key)
        assert.equal(ended.outcome, method === 'projects/list' ? 'OK' : 'FORBIDDEN')
      }
      const catalogue = await get('/public/v1/catalogue.json', key)
      assert.deepEqual([catalogue.status, catalogue.body.message], [403, 'The key cannot call this method.'])
      const { result } = await of.entries.enter['JSON-RPC']('rpc.discover', {}, key)
      const names = result.methods.map(({ name }: { name: string }) => name)
      assert.deepEqual(
        names.filter((name: string) => name.startsWith('projects/')),
        ['projects/list'],
      )
      const agent = await connectAgent(service, key)
      const { tools } = await agent.client.listTools()
      assert.ok(!tools.some(({ name }) => /projects_(describe|query|export)/.test(name)))
      await assert.rejects(agent.read('foldgate://catalogue'))
      await agent.close()
    })
  })

  describe('of which the host tells wrong limits', () => {
    it('can do nothing, and the host is told which field is wrong', async () => {
      const wrong: [only: unknown, field: string][] = [
        [null, 'only'],
        [[], 'only'],
        ['projects', 'only'],
        [{ project: [PROJECT] }, 'only.project'],
        [{ projects: PROJECT }, 'only.projects'],
        [{ projects: ['Secret project'] }, 'only.projects'],
        [{ projects: [PROJECT.replace('1', 'A')] }, 'only.projects'],
        [{ projects: undefined }, 'only.projects'],
        [{ methods: ['projects/forget'] }, 'only.methods'],
        [{ methods: { 0: 'projects/list' } }, 'only.methods'],
        [new Map([['projects', []]]), 'only'],
        [{ relations: [''] }, 'only.relations'],
        [{ queries: ['revenue@'] }, 'only.queries'],
        [{ queries: ['@1'] }, 'only.queries'],
        [{ parameters: null }, 'only.parameters'],
        [{ parameters: 'customer' }, 'only.parameters'],
        [{ parameters: ['Secret'] }, 'only.parameters'],
        [{ parameters: { customer: 17n } }, 'only.parameters'],
        [{ parameters: { customer: undefined } }, 'only.parameters'],
        [{ parameters: { customer: { type: 'DATE', value: 'Secret' } } }, 'only.parameters'],
        [{ parameters: { 'no name': 1 } }, 'only.parameters'],
        [{ relations: [7] }, 'only.relations'],
        [Object.create({ methods: 'projects/list' }), 'only.methods'],
      ]
      for (const [only, field] of wrong) {
        service.events.splice(0)
        const ended = await everywhere('projects/list', {}, limited(only as CallerLimits)).catch(() => null)
        const rest = await of.entries.enter.REST('projects/list', {}, limited(only as CallerLimits))
        assert.equal(rest.outcome, 'UNAVAILABLE', field)
        assert.ok(ended === null || ended.outcome === 'UNAVAILABLE', field)
        const causes = service.events.flatMap(event => (event.type === 'dependency' ? [String(event.cause)] : []))
        assert.ok(causes.length > 0)
        for (const cause of causes) {
          assert.ok(cause.includes(`whose ${field} is wrong`), cause)
          assert.doesNotMatch(cause, /Secret|forget/)
        }
      }
    })

    it('can do nothing with a quota that is no number of calls', async () => {
      for (const quota of [0, -1, 1.5, Number.NaN, '5', null]) {
        service.events.splice(0)
        service.host.callers.set('key-of-few', {
          ...(service.host.callers.get(KEYS.north) as Caller),
          quota: quota as number,
        })
        const { body } = await service.call('projects/list', {}, 'key-of-few')
        assert.equal(body.class, 'UNAVAILABLE', String(quota))
        const causes = service.events.flatMap(event => (event.type === 'dependency' ? [String(event.cause)] : []))
        assert.match(causes.join(), /whose quota is wrong: it must be a whole number above 0/)
      }
    })
  })
})
