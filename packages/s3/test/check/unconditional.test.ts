import assert from 'node:assert/strict'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { stop } from '../../../../test/server/server.js'
import { BUCKET } from './gateway.js'
import type { Fate, Seen } from './proxy.js'
import { PREFIX, servedFromBucket } from './served.js'

const { early } = PROJECT_IDS
const REFUSED =
  /error: The store of the shared bucket "s3:[^"]+" ignores conditions of writes \(If-None-Match\), .+: use a store that supports them, or a shared folder$/m

describe('a store of S3 that', () => {
  const world = servedFromBucket()
  const { start, command, refusal, query, keys } = world
  afterEach(() => world.proxy?.heal())

  const conditional =
    (fate: Fate) =>
    ({ isConditional }: Seen) =>
      isConditional ? fate : 'pass'
  async function marker(): Promise<{ text: string | undefined; modifiedAt: Date | undefined }> {
    const found = await world.s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: `${PREFIX}.store` }))
    return { text: await found.Body?.transformToString(), modifiedAt: found.LastModified }
  }
  async function restart(): Promise<void> {
    if (world.server.child.exitCode === null) await stop(world.server.child)
    world.server = await start()
  }

  it('ignores conditions is refused at the start and for sealing, and nothing changes', async () => {
    const [before, { text }] = [await keys(), await marker()]
    world.proxy.fate = conditional('unconditional')
    await assert.rejects(restart(), REFUSED)
    assert.match(await refusal({}, 'seal', early, world.tables), REFUSED)
    const fresh = { FOLDGATE_SHARED: `s3://${BUCKET}/fresh`, FOLDGATE_DATA: 'fresh' }
    assert.match(await refusal(fresh, 'import', 'package'), REFUSED)
    assert.deepEqual([await keys(), (await marker()).text, await keys('', 'fresh/')], [before, text, []])
    world.proxy.heal()
    await restart()
    assert.equal(await query(early), 1)
    await command('seal', early, world.tables)
  })

  it('does not implement conditions is refused as well', async () => {
    world.proxy.fate = conditional('unimplemented')
    assert.match(await refusal({}, 'seal', early, world.tables), REFUSED)
  })

  it('honors conditions is not written to by a server that starts', async () => {
    const before = [await keys(), await marker()]
    world.proxy.seen = []
    await restart()
    assert.ok(world.proxy.seen.some(({ isConditional }) => isConditional))
    assert.deepEqual([await keys(), await marker()], before)
  })

  it('lets nobody write can be read with the commands', async () => {
    world.proxy.fate = ({ method }) => (method === 'PUT' ? 'forbidden' : 'pass')
    assert.match(await command('snapshot', 'verify'), /snapshots are as sealed$/)
  })
})
