import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storeOf } from '../../../../test/server/command.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { call, serveWith, stop } from '../../../../test/server/server.js'
import { servedFromBucket } from './served.js'

const { early, late } = PROJECT_IDS

describe('a server on S3 whose session token expires', () => {
  const world = servedFromBucket()
  const { query, down } = world
  let token: string

  /** Renews the credentials, as a program beside the server does. */
  async function renew(): Promise<string> {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = world.environment
    token = `token-${randomUUID()}`
    const lines = [
      '[default]',
      `aws_access_key_id = ${AWS_ACCESS_KEY_ID}`,
      `aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}`,
      `aws_session_token = ${token}`,
    ]
    const path = join(world.scratch.path, 'credentials')
    await writeFile(`${path}-new`, `${lines.join('\n')}\n`)
    await rename(`${path}-new`, path)
    return token
  }
  /** From now on, the store accepts no other token than the current one. */
  function expireAll(others: readonly string[]): void {
    world.proxy.fate = seen => (seen.token === undefined || others.includes(seen.token) ? 'expired' : 'pass')
  }
  const exported = () => call(world.server.url, world.key, 'export', { projectId: early, sql: 'SELECT 1 AS one' })
  const download = async (link: string) =>
    (await fetch(link, { headers: { authorization: `Bearer ${world.key}` } })).status

  before(async () => {
    await stop(world.server.child)
    await renew()
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...others } = world.environment
    const file = { AWS_SHARED_CREDENTIALS_FILE: join(world.scratch.path, 'credentials') }
    const environment = { ...(await storeOf(world.scratch.path, [])), ...others, ...file }
    world.server = await serveWith(environment, world.scratch.path)
  })
  afterEach(() => world.proxy?.heal())

  it('is UNAVAILABLE where it needs the bucket, says why, and recovers with new credentials', async () => {
    assert.equal(await query(early), 1)
    const { link = '' } = await exported()
    assert.equal(await download(link), 200)
    expireAll([token])
    assert.equal(await query(late), 'UNAVAILABLE')
    assert.equal(await query(early), 1, 'what is known and copied needs no bucket')
    assert.equal((await exported()).class, 'UNAVAILABLE')
    assert.equal(await download(link), 503)
    assert.deepEqual(await down(), ['snapshots'])
    assert.match(
      world.server.log(),
      /dependency snapshots is down: ListObjectsV2 of \S+: The provided token has expired\./,
    )
    const told =
      /"the shared bucket cannot be read: GetObject of .store: The provided token has expired: calls that need it are UNAVAILABLE"/
    assert.match(world.server.log(), told)
    assert.ok(!world.server.log().includes(token))
    await renew()
    assert.equal(await query(late), 1)
    assert.equal(await download((await exported()).link ?? ''), 200)
    assert.deepEqual(await down(), [])
  })

  it('loses no call when the credentials are renewed before the old ones expire', async () => {
    const { link = '' } = await exported()
    for (const work of [async () => (await query(early)) === 1, async () => (await download(link)) === 200]) {
      const old = token
      await renew()
      expireAll([old])
      assert.ok(await work())
    }
  })
})
