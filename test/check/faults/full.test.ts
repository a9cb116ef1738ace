import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskSpace } from '#server/serving/space.js'
import { output, run, scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../server/package.js'
import { type Answer, call, type Served, serve } from '../../server/server.js'
import { isEmbedded } from '../../server/stores.js'
import { SmallDisk } from './disk.js'

const ID = PROJECT_IDS.early
const scratch = scratchFolder()
/** A relation that is built: tables are read as they are sealed, which takes no space. */
const FOLD = 'fold_pressures'
const NO_SPACE = /No space left in the folder "[^"]+": [\d.]+ \w+ of 64 MiB are free/

describe('a server and commands on a full disk', () => {
  let disk: SmallDisk
  let data: string
  before(async function () {
    const mounted = isEmbedded ? SmallDisk.mount(64) : null
    if (!mounted) {
      if (isEmbedded) process.stdout.write('    left out: this user may not mount a small disk\n')
      return this.skip()
    }
    disk = mounted
    data = join(disk.folder, 'data')
    await writePackage(at('package'))
    await writeTables(at('tables'))
    const sites = Array.from({ length: 200_000 }, () => `${randomUUID()},plant,,,,,,,,,`)
    await appendFile(join(at('tables'), 'sites.csv'), `${sites.join('\n')}\n`)
    await foldgate('import', at('package'))
  })
  after(() => disk?.unmount())

  const at = (name: string) => join(scratch.path, name)
  const foldgate = (...args: string[]) => output(scratch.path, ...args, '--data', data)
  const refused = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(scratch.path, [...args, '--data', data])
    assert.deepEqual([status, stdout], [1, ''], stderr)
    return stderr
  }
  const leftovers = async () => [...(await readdir(join(data, 'scratch'))), ...(await partsIn(join(data, 'snapshots')))]

  describe('commands', () => {
    afterEach(() => disk?.empty())

    it('seal nothing, blame the disk and not the files, and seal once there is space', async () => {
      const assessment = await foldgate('assessment', 'start', ID)
      // Too little for the first table, for a later one, and for what is written.
      for (const leftKiB of [300, 6_000, 12_000]) {
        await disk.fill(leftKiB)
        for (const args of [['seal', assessment], ['check']]) {
          if (args[0] === 'check' && leftKiB === 12_000) continue // a check writes less
          const stderr = await refused('snapshot', ...args, at('tables'))
          assert.match(stderr, NO_SPACE)
          assert.match(stderr, /^error: [^\n]*data\/(scratch|snapshots)[^\n]* are free\. Free some, and try again\.\n$/)
        }
        assert.deepEqual(await leftovers(), [])
        await disk.empty()
      }
      assert.match(await foldgate('snapshot', 'seal', assessment, at('tables')), /^00000/)
      await foldgate('assessment', 'complete', assessment)
    }).timeout(60_000)

    it('carry no project over that does not fit, and carry it over once there is space', async () => {
      await foldgate('project', 'export', ID, at('exported'))
      await disk.fill(1_000)
      const stderr = await refused('project', 'export', ID, join(disk.folder, 'exported'))
      assert.match(
        stderr,
        /^error: The project cannot be exported to [^\n]*, and nothing was: No space left in the folder/,
      )
      assert.match(stderr, NO_SPACE)
      const elsewhere = ['--data', at('elsewhere'), '--shared', join(disk.folder, 'shared')]
      const full = await run(scratch.path, ['project', 'import', at('exported'), ...elsewhere])
      assert.deepEqual([full.status, full.stdout], [1, ''])
      assert.match(full.stderr, NO_SPACE)
      assert.deepEqual(await partsIn(join(disk.folder, 'shared', 'snapshots')), [])
      await disk.empty()
      await output(scratch.path, 'project', 'import', at('exported'), ...elsewhere)
    }).timeout(60_000)
  })

  describe('a server', () => {
    let server: Served
    let keys: { north: string; south: string }
    before(async () => {
      const [north, south] = [
        ['--organization', 'north'],
        ['--organization', 'south'],
      ] as const
      await foldgate('user', 'add', 'ada@example.org', ...north, ...south)
      const create = (organization: readonly string[]) =>
        foldgate('key', 'create', '--user', 'ada@example.org', ...organization)
      keys = { north: await create(north), south: await create(south) }
      server = await serve(scratch.path, '--data', data)
    })
    after(async () => {
      server?.child.kill('SIGKILL')
      await disk?.empty()
    })

    const ready = async (): Promise<unknown[]> => {
      const response = await fetch(`${server.url}/ready`)
      return [response.status, await response.json()]
    }
    const READY = [200, { status: 'ready' }]
    const FULL = [503, { status: 'notReady', notReady: ['disk'] }]
    const ask = (key: keyof typeof keys, relation: string, method = 'query'): Promise<Answer> => {
      const projectId = key === 'south' ? ID : PROJECT_IDS.late
      const sql = `SELECT count(*) AS n FROM ${relation} -- ${randomUUID()}`
      return call(server.url, keys[key], method, { projectId, sql })
    }

    it('is not ready while no call can be answered, and says which folder; and is ready again by itself', async () => {
      assert.deepEqual(await ready(), READY)
      await disk.fill(0)
      assert.deepEqual(await ready(), FULL, 'the first call to each project builds a relation')
      for (const method of ['query', 'export'])
        assert.deepEqual([(await ask('south', FOLD, method)).class, await ready()], ['UNAVAILABLE', FULL])
      assert.match(server.log(), /"type":"disk","msg":"No space left in the folder \\"…\/engine\\": 0 bytes of 64 MiB/)
      await disk.empty()
      assert.deepEqual(await ready(), READY)
      assert.deepEqual((await ask('south', 'sites')).items, [{ n: 200_001 }])
      assert.match(server.log(), /"type":"disk","msg":"there is space again"/)
    })

    it('counts the disk of the snapshots only if calls write copies there', async () => {
      const [log, engine] = [{ info() {}, warn() {}, error() {} }, scratch.path]
      const check = (hasCopies: boolean) => new DiskSpace({ engine, snapshots: disk.folder, hasCopies }, log).check()
      await disk.fill(0)
      await assert.rejects(check(true), NO_SPACE)
      await check(false)
      await disk.empty()
    })

    it('stays ready for those whose relations are there, whoever is refused', async () => {
      await disk.fill(0)
      assert.equal((await ask('north', FOLD)).class, 'UNAVAILABLE')
      assert.deepEqual(await ready(), FULL)
      assert.deepEqual((await ask('south', 'sites')).items, [{ n: 200_001 }])
      assert.deepEqual(await ready(), READY)
      for (let time = 0; time < 3; time++) {
        assert.equal((await ask('north', FOLD)).class, 'UNAVAILABLE')
        assert.deepEqual(await ready(), READY)
      }
      await disk.empty()
      assert.ok((await ask('north', FOLD)).items[0])
      assert.deepEqual((await ask('north', 'sites')).items, [{ n: 1 }])
    })

    it('tells of builds and exports that find no space, with the folder', async () => {
      await disk.fill(100)
      assert.equal((await ask('south', 'fold_risks')).class, 'UNAVAILABLE')
      await disk.empty()
      await disk.fill(0)
      assert.equal((await ask('south', 'sites', 'export')).class, 'UNAVAILABLE')
      await disk.empty()
      const log = server.log()
      assert.match(
        log,
        /"msg":"build of fold_risks failed: No space left in the folder \\"…\/scratch\\": [^"]+ are free"/,
      )
      assert.match(
        log,
        /"msg":"dependency engine is down: No space left in the folder \\"…\/scratch\\": [^"]+ are free"/,
      )
      assert.ok(!log.includes(data), 'the log has no whole path')
      assert.ok((await ask('south', 'fold_risks')).items[0])
      assert.deepEqual((await ask('south', 'entities')).items, [{ n: 2 }])
      assert.equal((await ask('south', 'sites', 'export')).status, 200)
    })
  })
})

/** Files that are not in their place yet. */
async function partsIn(snapshots: string): Promise<string[]> {
  return (await readdir(snapshots, { recursive: true })).filter(name => name.includes('~'))
}
