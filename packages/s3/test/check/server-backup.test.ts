import assert from 'node:assert/strict'
import { join } from 'node:path'
import { run } from '../../../../test/server/command.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { call, stop } from '../../../../test/server/server.js'
import { postgresUrl, storeInPostgres } from '../../../../test/server/stores.js'
import { BUCKET } from './gateway.js'
import { SQL, servedFromBucket } from './served.js'

const { early, late } = PROJECT_IDS

describe('a backup of a server whose snapshots are in S3', () => {
  const world = servedFromBucket()
  const { start, command, commandWith, query, keys, seal } = world

  it('is restored into another bucket, or into a folder, also when requests have failed at first', async () => {
    const expected = [await query(early), await query(late)]
    const backup = join(world.scratch.path, 'backup')
    world.proxy.fate = ({ method, key }) => (method === 'GET' && key.includes('tables/') ? 'cut' : 'pass')
    await assert.rejects(command('backup', backup))
    world.proxy.heal()
    const environment = { ...world.environment, FOLDGATE_DATA: 'foldgate-data' }
    const [sealed, backedUp] = await Promise.all([seal(), run(world.scratch.path, ['backup', backup], { environment })])
    assert.deepEqual([backedUp.status, backedUp.stderr], [0, ''])
    const before = JSON.parse(await command('backup', backup, '--json')) as { snapshots: number; copiedFiles: number }
    const ids = JSON.parse(await command('snapshot', 'list', early, '--json')) as { id: string }[]
    assert.ok(ids.some(({ id }) => id === sealed))

    const store = postgresUrl ? { FOLDGATE_STORE: await storeInPostgres(world.scratch.path) } : {}
    const bucket = { FOLDGATE_SHARED: `s3://${BUCKET}/restored`, FOLDGATE_DATA: 'restored', ...store }
    await commandWith(bucket, 'restore', backup)
    const verified = new RegExp(`^${before.snapshots} snapshots are as sealed$`)
    assert.match(await commandWith(bucket, 'snapshot', 'verify'), verified)
    assert.deepEqual(JSON.parse(await commandWith(bucket, 'snapshot', 'list', early, '--json')), ids)
    assert.equal((await keys('snapshots/', 'restored/')).length, before.snapshots)

    const folder = { FOLDGATE_SHARED: 'restored-shared', FOLDGATE_DATA: 'restored-too', FOLDGATE_STORE: '' }
    await commandWith(bucket, 'backup', 'again') // from PostgreSQL and the bucket, where there is PostgreSQL
    await commandWith(folder, 'restore', 'again')
    assert.match(await commandWith(folder, 'snapshot', 'verify'), verified)
    await assert.rejects(
      commandWith({ ...bucket, FOLDGATE_DATA: 'other', FOLDGATE_STORE: '' }, 'backup', 'foreign'),
      /another control store/,
    )

    const flags = postgresUrl ? ['--store', String(bucket.FOLDGATE_STORE)] : []
    const restored = await start('--shared', bucket.FOLDGATE_SHARED, '--data', 'restored', ...flags)
    try {
      const again = [early, late].map(projectId => call(restored.url, world.key, 'query', { projectId, sql: SQL }))
      assert.deepEqual(
        (await Promise.all(again)).map(({ items }) => items[0]?.sites),
        expected,
      )
    } finally {
      assert.equal(await stop(restored.child), 0)
    }
  }).timeout(240_000)
})
