import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AnalyticsError, type MethodName } from 'foldgate'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'

const authorization = `Bearer ${KEYS.north}`
const NUMBERS = { projectId: PROJECT, sql: 'SELECT i FROM range(30) t(i) ORDER BY i' }

/** Characters of signed strings, and some others. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
const character = fc.constantFrom(...letters, '=', '+', ' ', '\n', '\u0000', 'Å', '%')

/** Ways to forge a string from genuine ones. */
const mutation = fc.oneof(
  fc.tuple(fc.nat(), character).map(
    ([at, instead]) =>
      (text: string) =>
        splice(text, at, 1, instead),
  ),
  fc.tuple(fc.nat(), character).map(
    ([at, more]) =>
      (text: string) =>
        splice(text, at, 0, more),
  ),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 60 })).map(
    ([at, count]) =>
      (text: string) =>
        splice(text, at, count, ''),
  ),
  fc.constantFrom<(text: string, other: string) => string>(
    (text, other) => `${text.split('.')[0]}.${other.split('.')[1]}`,
    (text, other) => `${other.split('.')[0]}.${text.split('.')[1]}`,
    (text, other) => text + other,
    text => text.split('.').reverse().join('.'),
    text => text.toLowerCase(),
    text => text.toUpperCase(),
    text => `${text}.`,
    text => `${text}=`,
    text => ` ${text}`,
    text => text.replace('.', '..'),
    text => text.split('.')[0] ?? '',
    text => `.${text.split('.')[1]}`,
    text => Buffer.from(text).toString('base64url'),
  ),
)

function splice(text: string, at: number, count: number, instead: string): string {
  const start = at % (text.length + 1)
  return text.slice(0, start) + instead + text.slice(start + count)
}

/** A result with a cursor or a link. */
interface Handed {
  nextCursor: string
  url: string
}

describe('a signed string', () => {
  let service: Service
  let genuine: { list: string[]; rows: string[]; links: string[] }
  before(async () => {
    service = await startService({ usage: { record: () => {} } })
    const { list, rows, links } = { list: [] as string[], rows: [] as string[], links: [] as string[] }
    const call = async (method: MethodName, params: object) =>
      (await service.api.call(method, params as never, { authorization })).result as unknown as Handed
    for (const limit of [1, 2, 3]) {
      rows.push((await call('projects/query', { ...NUMBERS, page: { limit } })).nextCursor)
      links.push((await call('projects/export', NUMBERS)).url.split('/').at(-1) as string)
    }
    for (let count = 0; count < 3; count++) {
      service.host.addProject({ projectId: `77777777-7777-4777-8777-77777777777${count}` })
      list.push((await call('projects/list', { page: { limit: count + 1 } })).nextCursor)
    }
    genuine = { list, rows, links }
  })
  after(() => service.close())

  /** A string that was never issued, made from two that were; null if the change has no effect. */
  function forge(kind: 'list' | 'rows' | 'links', first: number, change: (text: string, other: string) => string) {
    const all = Object.values(genuine).flat()
    const forged = change(genuine[kind][first % 3] as string, all[first % all.length] as string)
    return genuine[kind].includes(forged) ? null : forged
  }

  async function assertRefused(method: MethodName, params: object): Promise<void> {
    await assert.rejects(service.api.call(method, params as never, { authorization }), (error: unknown) => {
      assert.ok(error instanceof AnalyticsError)
      assert.deepEqual([error.class, error.data?.path], ['INVALID_PARAMS', 'page.cursor'])
      return true
    })
  }

  it('is accepted unchanged', async () => {
    for (const cursor of genuine.list) await service.api.call('projects/list', { page: { cursor } }, { authorization })
    for (const cursor of genuine.rows)
      await service.api.call('projects/query', { ...NUMBERS, page: { cursor } }, { authorization })
    for (const link of genuine.links) assert.equal((await download(link)).status, 200)
  })

  it('is refused as a cursor of a list after any change', () =>
    refuseAll('list', cursor => assertRefused('projects/list', { page: { cursor } })))

  it('is refused as a cursor of rows after any change', () =>
    refuseAll('rows', cursor => assertRefused('projects/query', { ...NUMBERS, page: { cursor } })))

  it('is refused as a link after any change', () =>
    refuseAll('links', async link => {
      const response = await download(link)
      assert.deepEqual([response.status, (await response.json()) as unknown], [404, NOT_FOUND])
    }))

  it('serves one purpose', async () => {
    const { list, rows, links } = genuine
    for (const cursor of [...rows, ...links]) await assertRefused('projects/list', { page: { cursor } })
    for (const cursor of [...list, ...links]) await assertRefused('projects/query', { ...NUMBERS, page: { cursor } })
    for (const link of [...list, ...rows]) assert.equal((await download(link)).status, 404)
  })

  const refuseAll = (kind: 'list' | 'rows' | 'links', refuse: (forged: string) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(fc.nat(), mutation, async (first, change) => {
        const forged = forge(kind, first, change)
        if (forged !== null) await refuse(forged)
      }),
      { numRuns: 600 },
    )

  function download(link: string): Promise<Response> {
    const url = `${service.url}/public/v1/exports/${encodeURIComponent(link)}`
    return service.api.fetch(new Request(url, { method: 'HEAD', headers: { authorization } }))
  }
})

const NOT_FOUND = {
  code: 1404,
  class: 'NOT_FOUND',
  message: 'There is no export behind this link for this key.',
}
