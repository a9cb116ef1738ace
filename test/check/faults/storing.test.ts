import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { directoryExports, type ExportPort } from 'foldgate'
import { PROJECT, startService } from '../../service/service.js'

describe('a storage that is slow to take an export', () => {
  async function exported(limits: Record<string, number>, put: ExportPort['put']) {
    const service = await startService({ limits, exports: { put, open: async () => null } })
    try {
      const { status } = await service.call('projects/export', { projectId: PROJECT, sql: 'SELECT 1' })
      const { folder, events } = service
      const told = events.flatMap(event => (event.type === 'dependency' ? [event.port] : []))
      return { status, told, left: await readdir(join(folder, 'engine', 'outbox')) }
    } finally {
      await service.close()
    }
  }

  it('has more time than other ports', async () => {
    const answer = await exported({ dependencyTimeoutMs: 200 }, async () => void (await setTimeout(500)))
    assert.deepEqual(answer, { status: 200, told: [], left: [] })
  })

  it('has as long as an export may run; then UNAVAILABLE, and its signal aborts', async () => {
    let given: AbortSignal | undefined
    const answer = await exported({ exportTimeoutMs: 2000 }, async (_, signal) => {
      given = signal
      await new Promise(() => {})
    })
    assert.deepEqual(answer, { status: 503, told: ['exports'], left: [] })
    assert.equal(given?.aborted, true)
  })
})

describe('files that directoryExports no longer needs', () => {
  const exportId = randomUUID()
  let folder: string
  let store: ReturnType<typeof directoryExports>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    store = directoryExports(join(folder, 'exports'), { retentionMs: 900_000 })
  })
  after(async () => {
    store.close()
    await rm(folder, { recursive: true })
  })

  /** A signal that aborts as soon as the store contains a file whose name matches. */
  function firesAt(name: RegExp): AbortSignal {
    const stop = new AbortController()
    const path = join(folder, 'exports')
    const look = () => {
      if (existsSync(path) && readdirSync(path).some(each => name.test(each))) stop.abort(new Error('too late'))
    }
    return new Proxy(stop.signal, {
      get(signal, member) {
        look()
        const value: unknown = Reflect.get(signal, member, signal)
        return typeof value === 'function' ? value.bind(signal) : value
      },
    })
  }

  async function mustLeaveNothing(path: string, signal: AbortSignal) {
    await writeFile(path, 'PAR1')
    await assert.rejects(store.put({ exportId, path, bytes: 4 }, signal), /too late/)
    assert.deepEqual(await readdir(join(folder, 'exports')).catch(() => []), [])
  }

  it('are not stored', async () => {
    await mustLeaveNothing(join(folder, 'made'), AbortSignal.abort(new Error('too late')))
  })

  it('are removed when they are stored too late', async () => {
    await mustLeaveNothing(join(folder, 'made'), firesAt(/^[0-9a-f-]{36}$/))
  })

  it('are removed when they are copied too late', async function () {
    const elsewhere = await mkdtemp('/dev/shm/foldgate-test-').catch(() => null)
    try {
      if (!elsewhere || (await stat(elsewhere)).dev === (await stat(folder)).dev) {
        process.stdout.write('    left out: there is no second file system\n')
        return this.skip()
      }
      await mustLeaveNothing(join(elsewhere, 'made'), firesAt(/^[0-9a-f-]{36}~/))
    } finally {
      if (elsewhere) await rm(elsewhere, { recursive: true })
    }
  })
})
