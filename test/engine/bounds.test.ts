import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGuard } from '#lib/duckdb/guard.js'
import { type WorkerEvent, Workers } from '#lib/duckdb/workers.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { GUARD } from '../unit/guard-probe.js'
import { until } from '../until.js'

const MIB = 1024 ** 2

describe('an engine process beyond its bounds', () => {
  let folder: string
  before(async function () {
    if (process.platform !== 'linux') this.skip()
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is ended and replaced, and the host is told why', async () => {
    const events: WorkerEvent[] = []
    const limits = { threads: 1, memoryLimitBytes: 512 * MIB, spillBytes: 64 * MIB }
    const options = { ...limits, sandbox: await openSandbox('auto'), bounds: { diskBytes: MIB } }
    const counts = { connections: 1, residents: 1, spares: 1 }
    const onEvent = (event: WorkerEvent) => events.push(event)
    const workers = new Workers(counts, options, folder, onEvent, () => {})
    try {
      await workers.start()
      await writeFile(join(folder, '0/own/filled'), Buffer.alloc(3 * MIB, 1))
      await until(() => events.some(({ what }) => what === 'replaced'), 'a replacement')
    } finally {
      await workers.close()
    }
    const [, died, replaced] = events
    assert.deepEqual(
      events.map(({ what }) => what),
      ['started', 'died', 'replaced'],
    )
    assert.equal(died?.detail, 'SIGKILL ended by its host: its files take 3 MiB, more than 1')
    assert.equal(replaced?.what === 'replaced' && replaced.reason, 'crash')
  })

  it('is ended and told, too, when it is that of the guard', async () => {
    const told: unknown[] = []
    const onDown = (cause: unknown) => told.push(cause)
    const options = { script: GUARD, relations: [], folder, sandbox: await openSandbox('auto'), waitMs: 30_000 }
    const guard = openGuard({ ...options, onDown })
    try {
      await guard.ready()
      await writeFile(join(folder, 'guard/own/filled'), Buffer.alloc(20 * MIB, 1))
      await until(() => told.length > 0, 'an end')
      assert.match(String(told), /^Error: the guard was ended by its host: its files take 20 MiB, more than 16$/)
      const asker = { organization: 'north', ownerId: 'anna', signal: new AbortController().signal }
      assert.equal((await guard.check('SELECT 1 AS one', asker)).sql, 'SELECT 1 AS one')
    } finally {
      await guard.close()
    }
  })
})
