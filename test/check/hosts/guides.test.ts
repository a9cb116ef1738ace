import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AnalyticsApi,
  AnalyticsError,
  type AnalyticsOptions,
  type Catalogue,
  createAnalyticsApi,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
  type ProjectRecord,
} from 'foldgate'
import { catalogue } from '../../../examples/catalogue.js'
import { farIn, nowAndBefore, rowsFor, statusOf, whoAmI, withPages } from '../../../examples/guides/calls.js'
import { tuned, withAgents } from '../../../examples/guides/engines.js'
import { observed, readiness } from '../../../examples/guides/events.js'
import { sharedQuota, withQuota } from '../../../examples/guides/quotas.js'
import { refresh } from '../../../examples/guides/sealing.js'
import { sealTables } from '../../../examples/seal.js'
import { tree } from '../../../examples/tree.js'
import { scratchFolder } from '../../server/command.js'

const [PROJECT, OTHER] = ['d2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10', '0b9e3f5a-6a54-4b0e-9d6f-6e2d3d0c9a11']
const SQL = 'SELECT city, km FROM city_trips'
const LIMA = { city: 'Lima', km: 16 }
const NAIROBI = { city: 'Nairobi', km: 31 }

describe('the code of the guides', () => {
  const scratch = scratchFolder()
  let source: string
  const opened: AnalyticsApi[] = []
  before(async () => {
    source = join(scratch.path, 'tables')
    await mkdir(source)
    await writeFile(join(source, 'cars.csv'), 'car_id,city\n1,Lima\n2,Nairobi\n')
    await writeFile(join(source, 'trips.csv'), 'trip_id,car_id,km\n1,1,12\n2,1,4\n3,2,31\n')
    await sealTables(scratch.path, PROJECT, source)
  })
  afterEach(async () => {
    for (const api of opened.splice(0)) await api.close()
  })

  /** The options of a host with one key, `a-key` of Ada, and one project. */
  function options(served: Catalogue = catalogue, folder = scratch.path): AnalyticsOptions {
    const caller = { keyId: '1', ownerId: 'ada', organizations: ['us'] }
    const project: ProjectRecord = {
      ...{ projectId: PROJECT, name: 'Ours', organization: 'us', sequence: 1 },
      ...{ completed: true, running: false },
    }
    return {
      baseUrl: 'https://data.example',
      secrets: ['a secret of the examples, long enough'],
      catalogue: served,
      keys: { authenticate: async key => (key === 'a-key' ? caller : null) },
      projects: {
        find: async projectId => (projectId === PROJECT ? project : null),
        list: async ({ after }) => (after < 1 ? [project] : []),
      },
      snapshots: directorySnapshots(join(folder, 'snapshots')),
      exports: directoryExports(join(folder, 'exports'), { retentionMs: 86_400_000 }),
      engine: duckdbEngine({ folder: join(folder, 'engine') }),
    }
  }
  const open = (api: AnalyticsApi) => {
    opened.push(api)
    return api
  }
  const authorization = 'Bearer a-key'

  it('answers from a point of view, where entities own each other', async () => {
    const folder = join(scratch.path, 'tree')
    const entities = join(folder, 'tables')
    await mkdir(entities, { recursive: true })
    const [group, mill] = [PROJECT, OTHER]
    await writeFile(
      join(entities, 'entities.csv'),
      `entity_key,entity_id,parent_key,ownership_share\ngroup,${group},,1\nmill,${mill},group,0.5\n`,
    )
    await writeFile(join(entities, 'emissions.csv'), 'entity_key,tonnes\ngroup,10\nmill,60\n')
    const report = (place: string, message: string) => assert.fail(`${place}: ${message}`)
    assert.ok(await refresh({ catalogue: tree, folder, projectId: PROJECT, source: entities, report }))
    const api = open(withQuota(options(tree, folder)))
    const ask = async (sql: string, view: object) => {
      const { result } = await api.call('projects/query', { projectId: PROJECT, sql, ...view }, { authorization })
      return result.items
    }
    const tonnes = 'SELECT tonnes FROM fold_emissions'
    assert.deepEqual(await ask(tonnes, {}), [{ tonnes: 40 }])
    assert.deepEqual(await ask(tonnes, { ownershipView: 'gross' }), [{ tonnes: 70 }])
    assert.deepEqual(await ask(tonnes, { entityId: mill }), [{ tonnes: 60 }])
    const shares = 'SELECT entity_key, share FROM point_of_view ORDER BY entity_key'
    assert.deepEqual(await ask(shares, {}), [
      { entity_key: 'group', share: 1 },
      { entity_key: 'mill', share: 0.5 },
    ])
  })

  it('limits calls per key, owner and organization', async () => {
    const api = open(withQuota(options()))
    const { headers } = await api.fetch(
      new Request('https://data.example/public/v1/api/projects/list', { method: 'POST', headers: { authorization } }),
    )
    assert.match(headers.get('ratelimit-policy') ?? '', /600/)

    const counts = new Map<string, number>()
    const counters = {
      async increment(name: string, lifeMs: number) {
        const count = (counts.get(name) ?? 0) + 1
        counts.set(name, count)
        return { count, leftMs: lifeMs }
      },
    }
    const shared = open(createAnalyticsApi({ ...options(), quota: sharedQuota(counters, 2) }))
    for (let calls = 0; calls < 2; calls++) await shared.call('projects/list', {}, { authorization })
    const refused = await shared.call('projects/list', {}, { authorization }).catch(error => error)
    assert.equal(refused.class, 'RATE_LIMITED')
    assert.match(refused.message, /owner/)
  })

  it('answers pages of the origins that it names', async () => {
    const api = open(withPages(options()))
    const preflight = (origin: string) =>
      api.fetch(
        new Request('https://data.example/public/v1/api/projects/query', {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-method': 'POST' },
        }),
      )
    const allowed = (await preflight('https://app.example')).headers
    assert.equal(allowed.get('access-control-allow-origin'), 'https://app.example')
    assert.equal(allowed.get('access-control-max-age'), '600')
    assert.equal((await preflight('https://other.example')).headers.get('access-control-allow-origin'), null)
  })

  it('calls in the process, and adds a path that is checked like a call', async () => {
    const api = open(withPages(options()))
    assert.deepEqual(await rowsFor(api, 'a-key', PROJECT, SQL), [LIMA, NAIROBI])
    const far = await farIn(api, 'a-key', PROJECT, ['Nairobi', 'Quito'])
    assert.deepEqual([far.items, far.total], [[NAIROBI], 1])
    assert.deepEqual(far.columns, [
      { name: 'city', type: 'VARCHAR' },
      { name: 'km', type: 'DOUBLE' },
    ])
    assert.deepEqual(await nowAndBefore(api, 'a-key', PROJECT, SQL), [[LIMA, NAIROBI]])
    const refused = await rowsFor(api, 'another', PROJECT, SQL).catch(error => error)
    assert.ok(refused instanceof AnalyticsError)
    assert.equal(statusOf(refused), 401)

    const asked = {
      ...{ method: 'GET', path: '/me', signal: new AbortController().signal },
      header: (name: string) => (name === 'authorization' ? authorization : null),
      readBody: async () => new Uint8Array(),
    }
    const { status, body } = await whoAmI(api, asked)
    assert.equal(status, 200)
    const text = Buffer.concat((body ?? []) as Uint8Array[]).toString()
    assert.deepEqual(JSON.parse(text), { ownerId: 'ada', organizations: ['us'] })
  })

  it('counts calls and rows, and tells whether it is ready', async () => {
    const added: [string, Record<string, string>, number][] = []
    const metrics = {
      add: (name: string, labels: Record<string, string>, by: number) => void added.push([name, labels, by]),
    }
    const api = open(observed(options(), metrics, line => assert.fail(JSON.stringify(line))))
    await api.call('projects/query', { projectId: PROJECT, sql: SQL }, { authorization })
    const by = (name: string) => added.filter(each => each[0] === name)
    assert.deepEqual(by('calls'), [['calls', { method: 'projects/query', outcome: 'OK' }, 1]])
    assert.deepEqual(by('rows'), [['rows', { keyId: '1' }, 2]])
    const { isReady, busy, waiting } = await readiness(api)
    assert.deepEqual({ isReady, busy, waiting }, { isReady: true, busy: 0, waiting: 0 })
  })

  it('sets limits and what the engine may use', async () => {
    const api = open(tuned(options(), join(scratch.path, 'tuned')))
    assert.equal(api.limits.queryTimeoutMs, 10_000)
    assert.equal(api.limits.exportBytesPerOwner, 20 * 1024 ** 3)
    assert.deepEqual(await rowsFor(api, 'a-key', PROJECT, "SELECT decode('\\x41'::BLOB, 'strict') AS a"), [{ a: 'A' }])
  })

  it('serves agents at its own name only', async () => {
    const api = open(withAgents(options()))
    const ping = (host: string) =>
      api.fetch(
        new Request('https://data.example/public/v1/mcp', {
          method: 'POST',
          headers: {
            ...{ authorization, host, accept: 'application/json, text/event-stream' },
            'content-type': 'application/json',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        }),
      )
    assert.equal((await ping('data.example')).status, 200)
    assert.equal((await ping('rebound.example')).status, 403)
  })
})
