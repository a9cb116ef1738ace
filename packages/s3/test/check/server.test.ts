import assert from 'node:assert/strict'
import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { run } from '../../../../test/server/command.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { call, stop } from '../../../../test/server/server.js'
import { until } from '../../../../test/until.js'
import { BUCKET } from './gateway.js'
import { PREFIX, SQL, servedFromBucket } from './served.js'

const { early, late } = PROJECT_IDS

describe('a server whose snapshots and exports are in S3', () => {
  const world = servedFromBucket()
  const { start, command, commandWith, refusal, query, ready, down, seal, keys, move, copies, copiesFolder } = world

  it('answers from the bucket, and reads a newer snapshot at once', async () => {
    assert.deepEqual([await query(early), await query(late)], [1, 1])
    assert.deepEqual(await ready(), [200, { status: 'ready' }])
    const id = await seal()
    assert.match(id, /^000002-/)
    const answer = await call(world.server.url, world.key, 'query', { projectId: early, sql: SQL })
    assert.equal(answer.items[0]?.sites, 1)
    assert.ok((await copies()).length > 0)
    assert.deepEqual(
      await readdir(join(world.scratch.path, 'foldgate-data')).then(names => names.includes('snapshots')),
      false,
    )
  })

  it('exports to the bucket, and downloads from there', async () => {
    const { link = '' } = await call(world.server.url, world.key, 'export', { projectId: late, sql: 'SELECT 1 AS one' })
    const exported = await keys('exports/')
    assert.equal(exported.length, 1)
    const download = () => fetch(link, { headers: { authorization: `Bearer ${world.key}` } })
    const file = Buffer.from(await (await download()).arrayBuffer())
    assert.equal(file.subarray(-4).toString(), 'PAR1')
    world.proxy.fate = ({ key }) => (key.includes('exports/') ? 'unavailable' : 'pass')
    assert.equal((await download()).status, 503)
    world.proxy.fate = ({ method, key }) => (method === 'GET' && key.includes('exports/') ? 'cut' : 'pass')
    await assert.rejects(async () => (await download()).arrayBuffer())
    world.proxy.heal()
    assert.ok(file.equals(Buffer.from(await (await download()).arrayBuffer())))
  })

  it('gives snapshots that commands seal at once places of their own', async () => {
    const assessment = await command('assessment', 'start', early)
    const other = join(world.scratch.path, 'other-tables')
    await cp(world.tables, other, { recursive: true })
    await world.change()
    const sealing = [world.tables, other].map(tables =>
      run(world.scratch.path, ['snapshot', 'seal', assessment, tables], { environment: world.environment }),
    )
    const ended = await Promise.all(sealing)
    assert.deepEqual(
      ended.map(({ status, stderr }) => [status, stderr]),
      ended.map(() => [0, '']),
    )
    const sealed = ended.map(({ stdout }) => stdout.trim())
    await command('assessment', 'complete', assessment)
    assert.deepEqual(sealed.map(id => id.slice(0, 6)).sort(), ['000003', '000004'])
    const listed = JSON.parse(await command('snapshot', 'list', early, '--json')) as { id: string }[]
    assert.deepEqual(
      listed.slice(0, 2).map(({ id }) => id),
      [...sealed].sort().reverse(),
    )
    assert.equal(await query(early), 1)
    assert.deepEqual(await ready(), [200, { status: 'ready' }])
  })

  it('compares, verifies, moves and prunes snapshots with the commands', async () => {
    assert.equal(await command('snapshot', 'verify'), '5 snapshots are as sealed')
    const read: string[] = []
    world.proxy.fate = ({ method, key }) => {
      if (method === 'GET' && key.includes('tables/')) read.push(key)
      return 'pass'
    }
    assert.match(await command('snapshot', 'diff', early), /tables are the same/)
    world.proxy.heal()
    assert.ok(read.length > 0)
    assert.deepEqual(read, [...new Set(read)], 'each file is downloaded once')
    await command('project', 'export', early, 'exported')
    const other = { FOLDGATE_SHARED: `s3://${BUCKET}/other`, FOLDGATE_DATA: 'other' }
    assert.equal(await commandWith(other, 'project', 'import', 'exported'), early)
    assert.equal(await commandWith(other, 'snapshot', 'verify'), '4 snapshots are as sealed')
    assert.match(
      await commandWith(other, 'project', 'remove', early, '--yes'),
      / 4 snapshots; the files of snapshots are deleted a day later$/,
    )
    assert.equal((await keys(`snapshots/${early}/`, 'other/')).filter(key => key.endsWith('.gone')).length, 4)
    assert.equal(await commandWith(other, 'project', 'import', 'exported'), early)
    assert.equal(await commandWith(other, 'snapshot', 'verify'), '4 snapshots are as sealed')
    assert.equal((await command('snapshot', 'prune', early)).split('\n').length, 3)
    assert.equal(await command('snapshot', 'verify'), '2 snapshots are as sealed')
    const [own, removed] = ['.json', '.gone'].map(async end =>
      (await keys(`snapshots/${early}/`)).filter(key => key.endsWith(end)),
    )
    assert.deepEqual([(await own)?.length, (await removed)?.length], [4, 3], 'they stay for a day')
    assert.equal(await query(early), 1)
  })

  it('is UNAVAILABLE while the store is down, but for what it has copied, and comes back with it', async () => {
    assert.equal(await query(late), 1)
    await seal()
    const { link = '' } = await call(world.server.url, world.key, 'export', { projectId: late, sql: 'SELECT 1 AS one' })
    const download = async () => (await fetch(link, { headers: { authorization: `Bearer ${world.key}` } })).status
    await world.gateway.stop()
    assert.deepEqual([await query(late), await query(early)], [1, 'UNAVAILABLE'])
    assert.equal(
      (await call(world.server.url, world.key, 'export', { projectId: late, sql: SQL })).class,
      'UNAVAILABLE',
    )
    assert.equal(await download(), 503)
    assert.deepEqual([await ready(), await down()], [[200, { status: 'ready' }], ['snapshots']])
    await world.gateway.start()
    assert.deepEqual([await query(late), await query(early), await download()], [1, 1, 200])
    assert.deepEqual(await down(), [])
  })

  it('waits for a store that hangs no longer than for any dependency', async () => {
    await stop(world.server.child)
    world.server = await start({ dependencyTimeout: '300ms' })
    world.proxy.fate = () => 'hang'
    const startedAt = performance.now()
    assert.equal(await query(late), 'UNAVAILABLE')
    assert.equal(
      (await call(world.server.url, world.key, 'export', { projectId: late, sql: SQL })).class,
      'UNAVAILABLE',
    )
    assert.ok(performance.now() - startedAt < 3000)
    assert.deepEqual([await ready(), await down()], [[200, { status: 'ready' }], ['snapshots']])
    world.proxy.heal()
    await until(async () => (await query(late)) === 1, 'the store is back')
    await stop(world.server.child)
    world.server = await start()
  })

  it('does not ask callers to try again when a snapshot is larger than all copies may be', async () => {
    await stop(world.server.child)
    for (const folder of [copiesFolder(), join(world.scratch.path, 'foldgate-data/engine')])
      await rm(folder, { recursive: true, force: true })
    world.server = await start({ snapshotCopies: '100' })
    assert.equal(await query(early), 'INTERNAL')
    assert.match(
      world.server.log(),
      /"type":"fault".*: files of the project \S+ have \d+ bytes, and all copies may take 100: /,
    )
    await stop(world.server.child)
    world.server = await start()
    assert.equal(await query(early), 1)
  })

  it('answers no older numbers when the newest snapshot is missing, until that is accepted', async () => {
    const id = await seal()
    assert.equal(await query(early), 1)
    const manifest = `snapshots/${early}/${id.slice(0, 6)}.json`
    await stop(world.server.child)
    await move(manifest, 'aside')
    world.server = await start()
    assert.equal(await query(early), 'UNAVAILABLE')
    assert.deepEqual(await ready(), [200, { status: 'ready', missingSnapshots: 1 }])
    assert.match(await refusal({}, 'snapshot', 'verify', early), /it is missing/)
    await move('aside', manifest)
    assert.equal(await query(early), 1)
    await move(manifest, 'aside')
    assert.match(await command('snapshot', 'accept'), new RegExp(`^${early}: 000005-`))
    assert.equal(await query(early), 1)
    assert.match(await seal(), /^000006-/)
  })

  it('reads no snapshot that is damaged or of another project', async () => {
    await world.change()
    const before = await keys(`tables/${early}/`)
    const number = (await seal()).slice(0, 6)
    const [damaged = ''] = (await keys(`tables/${early}/`)).filter(key => !before.includes(key))
    await world.s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: PREFIX + damaged, Body: 'other' }))
    assert.equal(await query(early), 'UNAVAILABLE')
    assert.match(world.server.log(), /\.parquet is not as it was sealed/)
    assert.match(await refusal({}, 'snapshot', 'verify'), /\.parquet is not as it was sealed/)
    assert.match(await refusal({}, 'snapshot', 'diff', early), /is damaged/)
    const [foreign = ''] = await keys(`snapshots/${late}/`)
    await stop(world.server.child)
    await move(foreign, `snapshots/${early}/999999.json`)
    world.server = await start()
    assert.equal(await query(early), 'UNAVAILABLE')
    assert.match(world.server.log(), /it is a snapshot of another project/)
    await move(`snapshots/${early}/999999.json`, foreign)
    await world.s3.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: `${PREFIX}snapshots/${early}/${number}.json` }))
    await command('snapshot', 'accept')
    assert.deepEqual([await query(early), await query(late)], [1, 1])
  })

  it('loses nothing when it is killed while it copies', async () => {
    await world.change()
    await seal()
    world.proxy.fate = ({ method, key }) => (method === 'GET' && key.includes('/tables/') ? 'stall' : 'pass')
    const asking = query(early).catch(() => 'cut')
    const unfinished = async () => (await copies()).filter(name => name.endsWith('.part')).length
    await until(async () => (await unfinished()) > 0, 'the copying')
    const before = await copies()
    await stop(world.server.child, 'SIGKILL')
    await asking
    world.proxy.heal()
    world.server = await start()
    assert.equal(await query(early), 1)
    const whole = before.filter(name => !name.endsWith('.part'))
    const copied = await copies()
    assert.ok(whole.every(name => copied.includes(name)))
  })

  it('says what is wrong with the bucket, and tells no secret', async () => {
    const wrong: [object, RegExp][] = [
      [
        { FOLDGATE_SHARED: 's3://no-such-bucket/a' },
        /The shared bucket "s3:\/\/no-such-bucket\/a" cannot be used \(NoSuch/,
      ],
      [{ AWS_SECRET_ACCESS_KEY: 'hunter2' }, /cannot be used \(SignatureDoesNotMatch\)/],
      [{ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, /cannot be used \(ECONNREFUSED\)/],
      [{ AWS_REGION: '' }, /cannot be used \(.*AWS_REGION/],
      [
        { FOLDGATE_SHARED: `s3://${BUCKET}/elsewhere` },
        /does not hold the snapshots of this store \(\.store is missing\)/,
      ],
      [{ FOLDGATE_SHARED: `s3://${BUCKET}/other` }, /has the snapshots of another control store/],
      [{ FOLDGATE_SHARED: 's3://key:hunter2@bucket' }, /FOLDGATE_SHARED cannot be/],
    ]
    for (const [more, told] of wrong) {
      const text = await refusal(more, 'snapshot', 'verify')
      assert.match(text, told)
      if (!('FOLDGATE_SHARED' in more)) assert.ok(!text.includes('hunter2'), text)
    }
    assert.ok(!world.server.log().includes(world.environment.AWS_SECRET_ACCESS_KEY ?? '?'))
  })

  it('lets commands fail with a reason while the store does, and seals nothing then', async () => {
    const assessment = await command('assessment', 'start', early)
    const before = await command('snapshot', 'list', early)
    await world.change()
    world.proxy.fate = ({ method, key }) => (method === 'PUT' && key.includes('/tables/') ? 'unavailable' : 'pass')
    const told = await refusal({}, 'snapshot', 'seal', assessment, world.tables)
    assert.match(
      told,
      /^error: The package could not be sealed: PutObject of tables\/\S+: throttled by the store for \d+ s: the store answered 503$/m,
    )
    world.proxy.fate = ({ method, key }) => (method === 'GET' && key.endsWith('.json') ? 'unavailable' : 'pass')
    assert.match(
      await refusal({}, 'snapshot', 'list', early),
      /^error: GetObject of snapshots\/\S+\.json: throttled by the store for \d+ s: the store answered 503$/m,
    )
    world.proxy.heal()
    assert.equal(await command('snapshot', 'list', early), before)
    await command('assessment', 'fail', assessment)
  }).timeout(120_000)

  it('can be moved to from a folder', async () => {
    const folder = { FOLDGATE_DATA: 'moved', FOLDGATE_SHARED: '' }
    await commandWith(folder, 'import', 'package')
    const root = join(world.scratch.path, 'moved/snapshots')
    const put = async (name: string, key: string) => {
      const Body = await readFile(join(root, name))
      await world.s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: `moved/${key}`, Body }))
    }
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
    for (const { parentPath, name } of files) {
      const key = relative(root, join(parentPath, name))
      await put(key, key)
    }
    const moved = { ...folder, FOLDGATE_SHARED: `s3://${BUCKET}/moved` }
    assert.equal(await commandWith(moved, 'snapshot', 'verify'), '2 snapshots are as sealed')
  })
})
