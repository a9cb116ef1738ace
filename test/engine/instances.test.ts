import assert from 'node:assert/strict'
import { copyFile, link, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstance, FreshInstances, ProjectInstances } from '#lib/duckdb/child/instance.js'
import type { View, WorkerSettings } from '#lib/duckdb/jobs.js'
import { heldBytes } from '#lib/sandbox/memory.js'

const MOST_OPEN = 16
/** Rows of a relation that takes 4 MB of memory once it has been read. */
const ROWS = 500_000

describe('the instances of an engine process', () => {
  let folder: string
  let settings: WorkerSettings
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const own = join(folder, 'own')
    await mkdir(own)
    const limits = { threads: 1, memoryLimitBytes: 2 ** 34, spillBytes: 2 ** 30, mostOpen: MOST_OPEN }
    settings = { ...limits, own, given: folder }
    for (let project = 0; project < MOST_OPEN + 2; project++) {
      const { folder: home, files } = viewOf(project)
      await mkdir(join(folder, home))
      const instance = await createInstance(settings)
      const connection = await instance.connect()
      await connection.run(`ATTACH '${join(folder, home, files[0]?.files[0] ?? '')}' AS made`)
      await connection.run(`CREATE TABLE made.t AS SELECT ${project} AS n, hash(range) AS h FROM range(${ROWS})`)
      await connection.run('DETACH made')
      instance.closeSync()
    }
  })
  after(() => rm(folder, { recursive: true }))

  const viewOf = (project: number): View => {
    const alias = `r_${project}`
    return {
      folder: String(project),
      files: [{ relation: 't', alias, form: 'built' as const, files: [`${alias}.duckdb`] }],
    }
  }

  /** Instances, how many were made, and a function that reads a project and returns whether that needed a new one. */
  function opened(of: WorkerSettings) {
    const fresh = new FreshInstances(of)
    let made = 0
    const take = fresh.take.bind(fresh)
    fresh.take = () => {
      made += 1
      return take()
    }
    const instances = new ProjectInstances(of, fresh)
    const read = async (project: number) => {
      const before = made
      const connection = await instances.connect(viewOf(project))
      const rows = (await connection.runAndReadAll('SELECT min(n) AS n, bit_xor(h) > 0 AS read FROM t')).getRows()
      const databases = (
        await connection.runAndReadAll(
          'SELECT database_name FROM duckdb_databases() WHERE NOT internal AND path IS NOT NULL',
        )
      ).getRows()
      connection.disconnectSync()
      await instances.reduce(heldBytes())
      assert.deepEqual([rows, databases], [[[project, true]], [[`r_${project}`]]])
      return made > before
    }
    return { instances, read, count: () => made }
  }

  it('are kept for the 16 projects read last, and each sees only the files of its own', async () => {
    const { instances, read } = opened(settings)
    const first = []
    for (let project = 0; project < MOST_OPEN + 1; project++) first.push(await read(project))
    assert.deepEqual(new Set(first), new Set([true]))
    const [oldest, second, newest] = [await read(0), await read(2), await read(MOST_OPEN)]
    assert.deepEqual([oldest, second, newest], [true, false, false])
    assert.equal(await read(1), true, 'the instance read least recently was closed')
    instances.closeAll()
    assert.equal(await read(2), true)
    instances.closeAll()
  })

  it('read what snapshots of a project share, each its own, and are closed when a file of theirs is taken away', async () => {
    const given = join(folder, 'project')
    await mkdir(given)
    const shared = [0, 1, 2].map(number => ({ folder: 'project', files: viewOf(number).files }))
    const pathOf = ({ files }: View) => join(given, files[0]?.files[0] ?? '')
    for (const [number, view] of shared.entries())
      await link(join(folder, viewOf(number).folder, view.files[0]?.files[0] ?? ''), pathOf(view))
    const { instances, count } = opened(settings)
    const read = async (number: number) => {
      const connection = await instances.connect(shared[number] as View)
      assert.deepEqual((await connection.runAndReadAll('SELECT min(n) FROM t')).getRows(), [[number]])
      connection.disconnectSync()
      return count()
    }
    assert.deepEqual([await read(0), await read(1), await read(0)], [1, 1, 1])
    await rm(pathOf(shared[2] as View))
    assert.equal(await read(1), 1, 'it never had that one open')
    await rm(pathOf(shared[0] as View))
    assert.deepEqual([await read(1), await read(1)], [2, 2], 'the space of a removed file is free')
    await rm(pathOf(shared[1] as View))
    await copyFile(join(folder, '1', 'r_1.duckdb'), pathOf(shared[1] as View))
    assert.deepEqual([await read(1), await read(1)], [3, 3], 'the other one of its name may be sound')
    instances.closeAll()
  })

  it('are closed, except for the last one, when memory is short', async () => {
    const { instances, read } = opened({ ...settings, memoryLimitBytes: 2 ** 24 })
    assert.deepEqual([await read(0), await read(1), await read(1), await read(0)], [true, true, false, true])
    instances.closeAll()
  })

  it('are not reused after a failure: only the last one is replaced', async () => {
    const { instances, read } = opened(settings)
    await read(0)
    await read(1)
    instances.closeLast()
    assert.deepEqual([await read(0), await read(1)], [false, true])
    instances.closeAll()
  })
})
