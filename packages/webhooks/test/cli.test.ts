import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ask, output, outputJson, scratchFolder } from '../../../test/server/command.js'

const ADA = 'ada@example.org'
const URL = 'https://hooks.example.org/x?y=z'

type Listed = Record<string, unknown>

describe('foldgate webhook', () => {
  const scratch = scratchFolder()
  before(async () => {
    for (const key of ['north', 'south', 'west'])
      await output(scratch.path, 'organization', 'add', key, '--name', `The ${key}`)
    await output(scratch.path, 'user', 'add', ADA, '--organization', 'north', '--organization', 'south')
  })

  const add = (...flags: string[]) =>
    output(scratch.path, 'webhook', 'add', ADA, URL, '--organization', 'north', ...flags)
  const list = () => outputJson<Listed[]>(scratch.path, 'webhook', 'list')

  it('adds one, and prints its id and, this once, its secret', async () => {
    const [printed, secret = '', ...more] = (await add()).split('\n')
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const [webhook] = await list()
    assert.deepEqual([printed, more], [webhook?.id, []])
    const events = ['assessment.completed', 'key.revoked', 'snapshot.sealed']
    const { id, createdAt } = webhook ?? {}
    assert.deepEqual(webhook, {
      ...{ id, user: ADA, url: URL, events, organizations: ['north'], reads: ['north'], createdAt },
      ...{ disabledAt: null, disabledFor: null },
    })
    assert.ok(!(await output(scratch.path, 'webhook', 'list')).includes('whsec_'))
    const json = await outputJson<Listed>(
      scratch.path,
      ...['webhook', 'add', ADA, URL, '--organization', 'south', '--event', 'key.revoked'],
    )
    assert.deepEqual([json.events, json.organizations], [['key.revoked'], ['south']])
    assert.match(String(json.secret), /^whsec_/)
  })

  it('lists what is sent, and removes a webhook', async () => {
    const [webhook] = await list()
    const id = String(webhook?.id)
    const delivery = await output(scratch.path, 'webhook', 'test', id)
    const [listed] = await outputJson<Listed[]>(scratch.path, 'webhook', 'deliveries', id)
    const { createdAt, nextAt } = listed ?? {}
    const none = { endedAt: null, status: null, outcome: null }
    const waiting = { id: delivery, event: 'webhook.test', state: 'pending', attempts: 0 }
    assert.deepEqual(listed, { ...waiting, createdAt, nextAt, ...none })
    assert.equal(nextAt, createdAt)
    const table = await output(scratch.path, 'webhook', 'deliveries', id)
    assert.match(table, /^ID +EVENT +CREATED +STATE +ATTEMPTS +NEXT +OUTCOME\nmsg_\S+ +webhook\.test .* pending +0 /)
    assert.equal(await output(scratch.path, 'webhook', 'enable', id), `The webhook ${id} is switched on`)
    assert.match(await output(scratch.path, 'webhook', 'list'), / SWITCHED OFF +WHY\n/)
    assert.equal(await output(scratch.path, 'webhook', 'remove', id, '--yes'), `The webhook ${id} is removed`)
    assert.equal((await list()).length, 1)
  })

  const id = randomUUID()
  const north = ['--organization', 'north']
  const refused: [string[], RegExp][] = [
    [['add', ADA, 'http://hooks.example.org/', ...north], /begins with http: use https, or .* --webhook-allow$/m],
    [['add', ADA, 'https://127.1/', ...north], /webhooks may not reach the address of the receiver/],
    [['add', ADA, 'https://u:p@hooks.example.org/', ...north], /has a user name or password/],
    [['add', ADA, URL, ...north, '--webhook-allow', '10.0.0.0/40'], /--webhook-allow cannot be "10\.0\.0\.0\/40"/],
    [['add', ADA, URL, '--organization', 'west'], /does not read the organization "west"/],
    [['add', ADA, URL, ...north, '--event', 'key.created'], /no event "key\.created": choose from snapshot\.sealed, /],
    [['add', 'eve@example.org', URL, ...north], /There is no user eve@example\.org/],
    [['remove', id], /There is no webhook with the id/],
    [['deliveries', id], /There is no webhook with the id/],
    [['enable', id], /There is no webhook with the id/],
    [['test', id], /There is no webhook with the id/],
  ]
  for (const [args, message] of refused)
    it(`refuses ${args.slice(0, 5).join(' ').replace(id, 'ID')}`, async () => {
      const { status, stdout, stderr } = await ask(scratch.path, ['webhook', ...args])
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, message)
      assert.match(stderr, /^error: [^\n]+\n$/)
    })

  it('takes an address that is allowed', async () => {
    const args = [
      'webhook',
      'add',
      ADA,
      'http://10.1.2.3/',
      '--organization',
      'north',
      '--webhook-allow',
      '10.1.0.0/16',
    ]
    assert.match(await output(scratch.path, ...args), /\nwhsec_/)
  })

  it('says in its help which options are required', async () => {
    const help = (await output(scratch.path, 'webhook', 'add', '--help')).replace(/\s+/g, ' ')
    assert.match(help, /--organization <key> [^-]* May be repeated\. Required\./)
    assert.doesNotMatch(help, /--event <type> [^-]*Required/)
  })
})
