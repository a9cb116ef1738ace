import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT, type Service, startService } from '../service/service.js'
import { until } from '../until.js'

describe('stored results', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  async function* pages(sql: string, limit: number) {
    let cursor: string | undefined
    do {
      const page = { limit, ...(cursor ? { cursor } : {}) }
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql, page })
      assert.equal(status, 200, body.message)
      cursor = body.result?.nextCursor
      yield body.result?.items ?? []
    } while (cursor)
  }

  const storedBytes = async () => {
    const folder = join(service.folder, 'engine', 'results')
    const sizes = (await readdir(folder)).map(async name => (await stat(join(folder, name))).size)
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  it('contain every row of a long result once, in order, whatever the page size', async () => {
    const sql = 'SELECT i, md5(i::VARCHAR) AS m FROM range(30000) t(i) ORDER BY m, i'
    const seen = new Set<unknown>()
    let last = ''
    for await (const items of pages(sql, 500)) {
      for (const row of items) {
        assert.ok((row.m as string) >= last)
        last = row.m as string
        seen.add(row.i)
      }
    }
    assert.equal(seen.size, 30_000)
    const odd: unknown[] = []
    for await (const items of pages(sql, 333)) odd.push(...items.map(row => row.i))
    assert.deepEqual(odd, [...seen])
    assert.ok((await storedBytes()) > 30_000 * 40)
  })

  it('are written for page 2, and later pages are cut from them', async () => {
    const seen = service.events.length
    let count = 0
    for await (const _ of pages('SELECT i FROM range(30000) t(i) ORDER BY i DESC, md5(i::VARCHAR)', 500)) count += 1
    const calls = service.events.slice(seen).filter(event => event.type === 'call')
    assert.deepEqual([count, calls.length], [60, 60])
    assert.deepEqual(
      calls.flatMap(({ phasesMs }, page) => (phasesMs.wait === undefined ? [] : [page])),
      [0, 1],
    )
  })

  it('answer later pages while no connection is free', async () => {
    const sql = 'SELECT i FROM range(20000) t(i) ORDER BY i DESC'
    const reader = pages(sql, 500)
    for (let count = 0; count < 4; count++) await reader.next()
    const stop = new AbortController()
    const endless = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
    const authorization = 'Bearer key-north'
    const busy = [1, 2].map(n =>
      service.api.call(
        'projects/query',
        { projectId: PROJECT, sql: `${endless} -- ${n}` },
        { authorization, signal: stop.signal },
      ),
    )
    await until(() => service.api.stats().busy === 2, 'no connection is free')
    const { value } = await reader.next()
    assert.equal((value as { i: number }[])[0]?.i, 20_000 - 1 - 2000)
    assert.equal(service.api.stats().busy, 2)
    stop.abort()
    assert.deepEqual(
      (await Promise.allSettled(busy)).map(call => call.status),
      ['rejected', 'rejected'],
    )
  })

  it('stay small for a caller that reads only the first pages of a huge result', async () => {
    const before = await storedBytes()
    const reader = pages('SELECT i FROM range(1000000000) t(i)', 500)
    for (let count = 0; count < 3; count++) await reader.next()
    const stored = (await storedBytes()) - before
    assert.ok(stored > 0 && stored < 10_000_000, `${stored} bytes are stored`)
  })

  it('end pages early by size, and refuse a row that is too large on the page that it would start', async () => {
    const wide = "repeat(repeat('x', 1000), 1000) || repeat(repeat('y', 1000), 1000)"
    const sql = `SELECT i, CASE WHEN i % 3 = 0 THEN ${wide} ELSE 'small' END AS s FROM range(24) t(i) ORDER BY i`
    const counts: number[] = []
    for await (const items of pages(sql, 10)) counts.push(items.length)
    // Two rows of 2 MB fit into 4 MiB, so a page ends before the third.
    assert.deepEqual(counts, [6, 6, 6, 6])
    const huge = `SELECT i, CASE WHEN i = 1200 THEN ${wide} || ${wide} || ${wide} ELSE 'small' END AS s FROM range(1500) t(i) ORDER BY i`
    let read = 0
    await assert.rejects(async () => {
      for await (const items of pages(huge, 100)) read += items.length
    }, /Row 1201 is larger/)
    assert.equal(read, 1200)
  })

  it('report an error at most one engine vector early, after every page before it', async () => {
    const [failing, vector, limit] = [30_000, 2048, 500]
    // The value is computed: an impossible cast of a constant would fail before the first row.
    const sql = `SELECT CASE WHEN i = ${failing} THEN ('x' || i)::INTEGER ELSE i END AS n FROM range(40000) t(i)`
    let read = 0
    await assert.rejects(async () => {
      for await (const items of pages(sql, limit)) read += items.length
    }, /Could not convert string 'x30000'/)
    assert.ok(read <= failing && read > failing - vector - limit, `${read} rows were read`)
  })

  it('come from one run when rows differ from run to run', async () => {
    const sql = 'SELECT i, random() AS r FROM range(3000) t(i) ORDER BY r'
    const first: unknown[] = []
    for await (const items of pages(sql, 500)) first.push(...items.map(row => row.i))
    assert.equal(new Set(first).size, 3000)
    const second: unknown[] = []
    for await (const items of pages(sql, 500)) second.push(...items.map(row => row.i))
    assert.equal(new Set(second).size, 3000)
    assert.notDeepEqual(first, second)
  })

  it('keep a complete run that is longer than a chunk', async () => {
    const seen: unknown[] = []
    for await (const items of pages('SELECT i FROM range(200000) t(i) ORDER BY random()', 500))
      seen.push(...items.map(row => row.i))
    assert.deepEqual([seen.length, new Set(seen).size], [200_000, 200_000])
  })

  it('keep nothing of a run that fits on its first page', async () => {
    const files = async () => (await readdir(join(service.folder, 'engine', 'results'))).length
    const before = await files()
    for (let count = 0; count < 5; count++)
      for await (const items of pages('SELECT random() AS r', 500)) assert.equal(items.length, 1)
    assert.equal(await files(), before)
  })

  it('compute a page once for all concurrent calls', async () => {
    const seen = service.events.length
    const sql = 'SELECT sum(hash(i)) AS s FROM range(20000000) t(i)'
    const ask = () => service.call('projects/query', { projectId: PROJECT, sql })
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    assert.equal(answers[0]?.body.result?.items?.length, 1)
    for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
    const calls = service.events.slice(seen).filter(event => event.type === 'call')
    assert.deepEqual([calls.length, calls.filter(({ phasesMs }) => phasesMs.wait !== undefined).length], [20, 1])
  })

  it('are computed until the last caller leaves', async () => {
    const sql = 'SELECT count(*) AS n FROM range(100000000000000) a(i) WHERE hash(i) = 0'
    const callers = [new AbortController(), new AbortController(), new AbortController()]
    const calls = callers.map(({ signal }) =>
      service.api
        .call('projects/query', { projectId: PROJECT, sql }, { authorization: 'Bearer key-north', signal })
        .catch((cause: unknown) => cause),
    )
    await until(() => service.api.stats().busy === 1, 'it is at work')
    for (const caller of callers.slice(0, 2)) caller.abort()
    await Promise.all(calls.slice(0, 2))
    assert.equal(service.api.stats().busy, 1)
    callers[2]?.abort()
    await calls[2]
    await until(() => service.api.stats().busy === 0, 'the end of it')
  })

  it('compute a page once for all later calls', async () => {
    const sql = 'SELECT sum(i) AS s FROM range(30000000) t(i)'
    const ask = () => service.call('projects/query', { projectId: PROJECT, sql })
    const { body } = await ask()
    for (let count = 0; count < 20; count++) assert.deepEqual((await ask()).body, body)
    const calls = service.events.filter(event => event.type === 'call').slice(-21)
    assert.deepEqual(
      calls.map(({ phasesMs }) => 'query' in phasesMs),
      [true, ...Array(20).fill(false)],
    )
  })
})

describe('rows that differ from run to run', () => {
  const RUN = 'SELECT i, random() AS r FROM range(3000) t(i) ORDER BY r'
  const read = (service: Service, sql: string, cursor?: string | undefined) =>
    service.call('projects/query', { projectId: PROJECT, sql, page: { limit: 500, ...(cursor ? { cursor } : {}) } })

  it('are refused on the first page if there are too many to keep, but can be exported', async () => {
    const service = await startService({ resultBytes: 50_000 })
    try {
      const { status, body } = await read(service, RUN)
      assert.deepEqual([status, body.class, body.data?.rule], [422, 'INVALID_QUERY', 'volatile'])
      assert.match(`${body.message} ${body.data?.hint}`, /projects\/export/)
      const { body: exported } = await service.call('projects/export', { projectId: PROJECT, sql: RUN })
      assert.equal(exported.result?.rows, 3000)
      assert.equal((await read(service, `${RUN} LIMIT 500`)).body.result?.items?.length, 500)
      assert.equal((await read(service, RUN.replaceAll('random()', 'md5(i::VARCHAR)'))).status, 200)
    } finally {
      await service.close()
    }
  })

  it('are never mixed with another run: once they are gone, the cursor is refused', async () => {
    const service = await startService({ resultBytes: 150_000 })
    try {
      const { body } = await read(service, RUN)
      const cursor = body.result?.nextCursor
      assert.equal((await read(service, RUN, cursor)).status, 200)
      await read(service, `${RUN} -- another, which takes its place`)
      const gone = await read(service, RUN, cursor)
      assert.deepEqual([gone.status, gone.body.class, gone.body.data?.path], [400, 'INVALID_PARAMS', 'page.cursor'])
      assert.match(gone.body.message ?? '', /Start again from the first page/)
    } finally {
      await service.close()
    }
  })
})

describe('stored results beyond their limit', () => {
  it('are removed, and their pages are computed again', async () => {
    const service = await startService({ resultBytes: 1 })
    try {
      const sql = 'SELECT i FROM range(2600) t(i) ORDER BY i'
      const seen: unknown[] = []
      let cursor: string | undefined
      do {
        const { body } = await service.call('projects/query', {
          projectId: PROJECT,
          sql,
          page: { limit: 500, ...(cursor ? { cursor } : {}) },
        })
        seen.push(...(body.result?.items ?? []).map(row => row.i))
        cursor = body.result?.nextCursor
      } while (cursor)
      assert.deepEqual(
        seen,
        Array.from({ length: 2600 }, (_, index) => index),
      )
      while (service.api.stats().resultBytes > 1) await new Promise(setImmediate)
    } finally {
      await service.close()
    }
  })
})
