import assert from 'node:assert/strict'
import { once } from 'node:events'
import { directorySnapshots } from 'foldgate'
import { dbOf } from '#webhooks/tables.js'
import { openStore } from '../../../../server/dist/database/store.js'
import { scratchFolder, start } from '../../../../test/server/command.js'
import { linesOf } from '../../../../test/server/log.js'
import { gauge, metricsOf } from '../../../../test/server/metrics.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { type Served, stop } from '../../../../test/server/server.js'
import { until } from '../../../../test/until.js'
import { TestReceiver } from '../receiver.js'
import { certify, Hooked } from './hooked.js'
import { installPython, verifiedInPython } from './python.js'

const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const scratch = scratchFolder()

describe('webhooks of a server', () => {
  let receiver: TestReceiver
  let others: TestReceiver
  let hooked: Hooked
  let ada: { id: string; secret: string }
  let server: Served

  before(async function () {
    const tls = await certify(scratch.path).catch(() => null)
    if (!tls) {
      console.log('Left out: webhooks of a server, since the program openssl cannot be had.')
      return this.skip()
    }
    receiver = new TestReceiver(tls)
    others = new TestReceiver(tls)
    hooked = new Hooked(scratch.path, tls.file)
    await hooked.fill()
    ada = await hooked.hook(ADA, 'south', await receiver.listen())
    await hooked.hook(BOB, 'north', await others.listen())
    server = await hooked.serve(['--webhook-allow', '127.0.0.1', '--metrics-port', '0'])
  })
  after(async () => {
    if (server) await stop(server.child)
    await receiver?.close()
    await others?.close()
  })

  const events = () => receiver.events(ada.secret)
  const last = async () => (await hooked.json<Record<string, unknown>[]>('webhook', 'deliveries', ada.id))[0]
  const count = (many: number) => until(() => receiver.received.length === many, `${many} events`)

  it('tell of a snapshot, an assessment and a key, signed, and nothing to others', async () => {
    const { assessmentId, snapshotId } = await hooked.seal()
    await count(1)
    await hooked.run('assessment', 'complete', assessmentId)
    await count(2)
    const keyId = await hooked.createKey(ADA, 'south')
    await hooked.run('key', 'revoke', keyId)
    await hooked.run('webhook', 'test', ada.id)
    await count(4)
    const of = { projectId: PROJECT_IDS.early, organization: 'south' }
    const [sealed, completed] = events()
    const [{ sealedAt } = { sealedAt: '' }] = await hooked.json<{ sealedAt: string }[]>(
      'snapshot',
      'list',
      of.projectId,
    )
    assert.deepEqual(sealed?.data, { ...of, snapshotId, sealedAt })
    const completedAt = completed?.timestamp
    assert.deepEqual(completed?.data, { ...of, assessmentId, completedAt })
    const types = events().map(({ type }) => type)
    assert.deepEqual(types.sort(), ['assessment.completed', 'key.revoked', 'snapshot.sealed', 'webhook.test'])
    const revoked = events().find(({ type }) => type === 'key.revoked')
    assert.deepEqual(revoked?.data, { keyId, revokedAt: revoked?.timestamp })
    assert.equal(new Set(events().map(({ id }) => id)).size, 4)
    assert.deepEqual(others.received, [])
    const samples = await metricsOf(server)
    assert.equal(gauge(samples, 'webhook_deliveries_total{outcome="delivered"}'), 4)
    for (const name of ['webhook_pending', 'webhook_oldest_pending_seconds']) assert.equal(gauge(samples, name), 0)
  })

  it('verify with the library of another language', async function () {
    this.timeout(200_000)
    const python = await installPython(scratch.path)
    if (!python) return this.skip()
    const types = await verifiedInPython(python, ada.secret, receiver.received)
    assert.deepEqual(
      types,
      events().map(({ type }) => type),
    )
  })

  it('arrive after a kill -9 of the server in the middle of a delivery, with the same id', async () => {
    receiver.received.length = 0
    receiver.answer = () => {}
    await hooked.run('webhook', 'test', ada.id)
    await count(1)
    await stop(server.child, 'SIGKILL')
    receiver.answerWith(200)
    server = await hooked.serve()
    await count(2)
    const [first, second] = events()
    assert.equal(first?.id, second?.id)
    await until(async () => (await last())?.state === 'delivered', 'it is recorded')
    assert.equal((await last())?.attempts, 2)
  })

  it('arrive after a kill -9 of the server between the event and its delivery', async () => {
    receiver.received.length = 0
    await stop(server.child, 'SIGKILL')
    const { snapshotId, assessmentId } = await hooked.seal()
    await hooked.run('assessment', 'fail', assessmentId)
    server = await hooked.serve()
    await count(1)
    assert.equal(events()[0]?.data.snapshotId, snapshotId)
  })

  it('arrive once if the command that seals is killed with -9 as soon as the snapshot is there', async () => {
    receiver.received.length = 0
    const assessmentId = await hooked.run('assessment', 'start', PROJECT_IDS.early)
    const list = () => directorySnapshots(hooked.snapshots).list(PROJECT_IDS.early, new AbortController().signal)
    const [last] = await list()
    await hooked.change()
    const child = start(scratch.path, ['snapshot', 'seal', assessmentId, hooked.tables, ...hooked.flags])
    const ended = once(child, 'close')
    const snapshotId = await until(async () => {
      const [newest] = await list()
      return newest !== last && newest
    }, 'the snapshot')
    child.kill('SIGKILL')
    await ended
    await stop(server.child)
    server = await hooked.serve()
    await count(1)
    assert.equal(events()[0]?.data.snapshotId, snapshotId)
    assert.match(String(events()[0]?.data.sealedAt), /^\d{4}-\d\d-\d\dT/)
    await hooked.run('assessment', 'fail', assessmentId)
    await hooked.run('webhook', 'test', ada.id)
    await count(2)
    assert.equal(events()[1]?.type, 'webhook.test')
  })

  it('arrive if the store knows no snapshot of the project, as after a kill -9 of the first command that seals', async () => {
    receiver.received.length = 0
    await stop(server.child)
    const store = await openStore(hooked.store)
    await store.db.deleteFrom('newest_snapshots').where('project_id', '=', PROJECT_IDS.early).execute()
    await dbOf(store).deleteFrom('webhook_deliveries').execute()
    await store.close()
    server = await hooked.serve()
    await count(1)
    const [newest] = await hooked.json<{ id: string; sealedAt: string }[]>('snapshot', 'list', PROJECT_IDS.early)
    const { snapshotId, sealedAt } = events()[0]?.data ?? {}
    assert.deepEqual([snapshotId, sealedAt], [newest?.id, newest?.sealedAt])
  })

  it('are refused for addresses that are not allowed, and for certificates that are not trusted', async () => {
    receiver.received.length = 0
    for (const [flags, authority, outcome] of [
      [[], undefined, /webhooks may not reach the address of the receiver/],
      [['--webhook-allow', '127.0.0.1'], '', /^the connection failed \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/],
    ] as const) {
      await stop(server.child)
      const ended = (await last())?.id
      await hooked.run('key', 'revoke', await hooked.createKey(ADA, 'south'))
      server = await hooked.serve(flags, authority)
      await until(async () => typeof (await last())?.outcome === 'string', 'it was tried')
      const delivery = await last()
      assert.match(String(delivery?.outcome), outcome)
      assert.notEqual(delivery?.id, ended)
      const lines = linesOf(server).filter(({ type }) => type === 'webhook')
      const line = lines.find(({ deliveryId }) => deliveryId === delivery?.id)
      assert.match(String(line?.msg), /^delivery failed, and it is repeated later: /)
      assert.ok(!/hook\?|hidden|whsec_/.test(server.log()), server.log())
    }
    assert.deepEqual(receiver.received, [])
  })
})
