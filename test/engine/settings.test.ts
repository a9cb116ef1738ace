import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFailure } from '#lib/duckdb/child/duckdb-failure.js'
import { FreshInstances, ProjectInstances, streamClosely } from '#lib/duckdb/child/instance.js'

describe('the settings of an engine process', () => {
  it('hold on the connections on which statements run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const limits = { threads: 1, memoryLimitBytes: 2 ** 30, spillBytes: 2 ** 20, mostOpen: 16 }
    const settings = { ...limits, own: folder, given: folder }
    const instances = new ProjectInstances(settings, new FreshInstances(settings))
    try {
      for (const use of ['first', 'next']) {
        const connection = await instances.connect({ folder: 'none', files: [] })
        const value = async (name: string) =>
          (await connection.runAndReadAll(`SELECT current_setting('${name}')`)).getRows()[0]?.[0]
        assert.deepEqual(
          [
            await value('TimeZone'),
            await value('temp_directory'),
            await value('max_temp_directory_size'),
            await value('enable_external_access'),
            await value('lock_configuration'),
          ],
          ['UTC', folder, '1.0 MiB', false, true],
          use,
        )
        await assert.rejects(connection.run('SET threads = 2'), /configuration has been locked/)
        await streamClosely(connection)
        assert.equal(await value('streaming_buffer_size'), '31.2 KiB')
        const deep = `SELECT ${'('.repeat(300)}1${')'.repeat(300)}${' + 1'.repeat(300)}`
        await assert.rejects(connection.run(deep), /Max expression depth limit of 250 exceeded/)
        connection.disconnectSync()
        await instances.check()
      }
    } finally {
      instances.closeAll()
      await rm(folder, { recursive: true })
    }
  })
})

describe('a connection of an engine process', () => {
  let folder: string
  let instances: ProjectInstances
  const none = { folder: 'none', files: [] }
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const limits = { threads: 1, memoryLimitBytes: 2 ** 30, spillBytes: 2 ** 20, mostOpen: 16 }
    const settings = { ...limits, own: folder, given: folder }
    instances = new ProjectInstances(settings, new FreshInstances(settings))
  })
  after(async () => {
    instances.closeAll()
    await rm(folder, { recursive: true })
  })

  it('is kept with its key, and never used by two statements at once', async () => {
    const [plain, other] = [await instances.connect(none, ''), await instances.connect(none, '')]
    assert.notEqual(other, plain)
    instances.keep(none, '', plain)
    assert.notEqual(await instances.connect(none, 'another'), plain)
    assert.notEqual(await instances.connect(none), plain)
    assert.equal(await instances.connect(none, ''), plain)
    assert.notEqual(await instances.connect(none, ''), plain)
  })

  it('outlives a check of the settings only where they are as they were', async () => {
    const connection = await instances.connect(none, '')
    const logging = async (on: typeof connection) =>
      String((await on.runAndReadAll("SELECT current_setting('enable_logging')")).getRows()[0]?.[0])
    const untouched = await logging(connection)
    instances.keep(none, '', connection)
    await instances.check()
    assert.equal(await instances.connect(none, ''), connection)
    await connection.run('SELECT * FROM enable_logging()')
    assert.notEqual(await logging(connection), untouched)
    instances.keep(none, '', connection)
    await instances.check()
    const next = await instances.connect(none, '')
    assert.notEqual(next, connection)
    assert.equal(await logging(next), untouched)
  })
})

describe('an exception of the engine', () => {
  it('is an assertion when it has no type, and a fault when JavaScript threw it', () => {
    assert.equal(describeFailure(new Error('stoi: no conversion')).kind, 'assertion')
    assert.equal(describeFailure(new Error('{"exception_type":"INTERNAL","exception_message":"x"}')).kind, 'assertion')
    assert.equal(describeFailure(new Error('Binder Error: x')).kind, 'query')
    assert.equal(describeFailure(new Error('Permission Error: x')).kind, 'fault')
    assert.equal(describeFailure(new TypeError('x is not a function')).kind, 'fault')
  })
})
