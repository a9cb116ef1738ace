import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { openStore } from '../../../../server/dist/database/store.js'
import { newestSnapshot } from '../../../../server/dist/store/newest-snapshots.js'
import { start as startCommand, storeOf } from '../../../../test/server/command.js'
import { PROJECT_IDS, writeTables } from '../../../../test/server/package.js'
import { serveWith, stop } from '../../../../test/server/server.js'
import { until } from '../../../../test/until.js'
import { BUCKET } from './gateway.js'
import type { Seen } from './proxy.js'
import { PREFIX, servedFromBucket } from './served.js'

const { early } = PROJECT_IDS
/** Sites of a table of more than 16 MiB, which is uploaded in parts. */
const SITES = 2000
const BYTES_OF_SITE = 9000
const LATER_MS = 25 * 3_600_000
/** Shifts the clock of a process by 25 hours. */
const TOMORROW = 'const now = Date.now; Date.now = () => now() + 90_000_000'

describe('sealing to S3 that ends in the middle', () => {
  const world = servedFromBucket()
  const { command, refusal, query, keys } = world
  let large: string

  before(async () => {
    large = join(world.scratch.path, 'large')
    await writeTables(large)
    const entities = join(large, 'entities.csv')
    await writeFile(entities, (await readFile(entities, 'utf8')).replace('The group', 'Another group'))
    const names = Array.from({ length: SITES }, () => randomBytes(BYTES_OF_SITE).toString('base64'))
    await appendFile(join(large, 'sites.csv'), names.map(name => `${name},plant,,,,,,,,,\n`).join(''))
  })
  afterEach(() => world.proxy?.heal())

  const manifests = async () => (await keys(`snapshots/${early}/`)).filter(key => key.endsWith('.json'))
  const uploads = async () => {
    const asked = { Bucket: BUCKET, Prefix: PREFIX }
    return ((await world.s3.send(new ListMultipartUploadsCommand(asked))).Uploads ?? []).map(({ Key = '' }) => Key)
  }
  const files = () => keys(`tables/${early}/`)
  /** The number of the newest snapshot. */
  const newestNumber = async () => (await manifests()).at(-1)?.slice(-'000001.json'.length, -'.json'.length)
  async function newestInStore(): Promise<string | null> {
    const { FOLDGATE_STORE } = await storeOf(world.scratch.path, [])
    const store = await openStore(FOLDGATE_STORE ?? join(world.scratch.path, 'foldgate-data/control.db'))
    return newestSnapshot(store, early).finally(() => store.close())
  }

  it('killed in an upload: nothing of it is seen, it works again, and the next day all of it is gone', async () => {
    const [before, filesBefore, sites] = [await manifests(), await files(), await query(early)]
    let tell = () => {}
    const isUploading = new Promise<void>(resolve => {
      tell = resolve
    })
    world.proxy.fate = ({ query }) => {
      if (!query.includes('partNumber=2')) return 'pass'
      tell()
      return 'hang'
    }
    const environment = { ...(await storeOf(world.scratch.path, [])), ...world.environment }
    const child = startCommand(world.scratch.path, ['seal', early, large], environment)
    const ended = once(child, 'close')
    await Promise.race([isUploading, ended])
    child.kill('SIGKILL')
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    world.proxy.heal()
    assert.deepEqual([(await uploads()).length, await manifests()], [1, before])
    const lost = (await files()).filter(key => !filesBefore.includes(key))
    assert.ok(lost.length > 0, 'smaller files are there')
    assert.equal(await query(early), sites)
    assert.equal((await command('snapshot', 'verify', early)).split(' ')[0], `${before.length}`)

    const id = await command('seal', early, large)
    assert.equal(await newestNumber(), id.slice(0, 6))
    assert.equal(await query(early), SITES + 1)
    const areThere = async () => {
      const found = await files()
      return lost.filter(key => found.includes(key)).length
    }
    assert.deepEqual([(await uploads()).length, await areThere()], [1, lost.length])

    await stop(world.server.child)
    await world.gateway.age(LATER_MS)
    const clock = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TOMORROW)}` }
    world.server = await serveWith({ ...world.environment, ...clock }, world.scratch.path)
    await until(async () => (await areThere()) === 0 && (await uploads()).length === 0, 'the sweep')
    assert.equal(await query(early), SITES + 1)
    assert.equal((await command('snapshot', 'verify', early)).split(' ')[0], `${before.length + 1}`)
  }).timeout(60_000)

  describe('without the answer to its last request, which the store has', () => {
    const isManifest = ({ key }: Seen) => key.includes(`/snapshots/${early}/`) && key.endsWith('.json')
    let before: string[]
    beforeEach(async () => {
      before = await manifests()
    })
    /** The snapshot that was published since, which is the only one, whole, and the newest in the store. */
    async function newest(): Promise<string> {
      const [published = '', ...others] = (await manifests()).filter(key => !before.includes(key))
      assert.deepEqual(others, [])
      assert.equal((await command('snapshot', 'verify', early)).split(' ')[0], `${before.length + 1}`)
      const id = (await newestInStore()) ?? ''
      assert.equal(published, `snapshots/${early}/${id.slice(0, 6)}.json`)
      return id
    }

    it('succeeds, once', async () => {
      let lost = 0
      world.proxy.fate = seen => (seen.method === 'PUT' && isManifest(seen) && lost++ === 0 ? 'lost' : 'pass')
      const id = await command('seal', early, world.tables)
      assert.equal(await newest(), id)
      assert.ok(lost >= 2)
    })

    it('succeeds even if no repetition is answered, as the manifest can be read', async () => {
      world.proxy.fate = seen => (seen.method === 'PUT' && isManifest(seen) ? 'lost' : 'pass')
      const id = await command('seal', early, world.tables)
      assert.equal(await newest(), id)
    })

    it('says that it is unknown when nothing can be read either, and the servers find the snapshot', async () => {
      const isNew = ({ key }: Seen) => !before.some(name => key.endsWith(name))
      world.proxy.fate = seen => (isManifest(seen) && isNew(seen) ? 'lost' : 'pass')
      const told = await refusal({}, 'seal', early, world.tables)
      assert.match(
        told,
        /the store did not answer whether it has the snapshot 0\S+ \(PutObject of snapshots\/\S+: [^)]+\)/,
      )
      assert.match(told, /: list the snapshots before sealing again$/m)
      world.proxy.heal()
      assert.equal(await query(early), 1)
      assert.ok(told.includes(await newest()))
    }).timeout(120_000) // each request is repeated for half a minute
  })
})
