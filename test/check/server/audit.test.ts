import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { ask, type Ended, output, run, scratchFolder } from '../../server/command.js'
import { call, type Served, serve, stop } from '../../server/server.js'
import { until } from '../../until.js'
import { Visitor } from '../pages/visitor.js'

const ADA = { email: 'ada@example.org', password: 'correct horse' }
const FORWARDED = { 'x-forwarded-for': '203.0.113.7' }

interface Line {
  action: string
  who: string
  from: string | null
  subject: string
  details: Record<string, unknown>
}

describe('the audit of a server', () => {
  const scratch = scratchFolder()
  let server: Served
  let printed = ''

  before(async () => {
    const folder = scratch.path
    await output(folder, 'organization', 'add', 'north', '--name', 'The north')
    const added = ['user', 'add', ADA.email, '--organization', 'north', '--password-stdin']
    assert.equal((await run(folder, added, { input: ADA.password })).status, 0)
    server = await serve(folder, { drainDelay: '0s' }, '--audit-log', '-', '--proxies', '1')
    server.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  })

  after(() => server.child.kill('SIGKILL'))

  const audit = async (...filter: string[]): Promise<Line[]> =>
    (await output(scratch.path, 'audit', '--json', ...filter))
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))

  it('has what users do on the pages and what commands do, each with who and from where', async () => {
    const visitor = new Visitor(server.url)
    const asked = { ...ADA, password: 'wrong' }
    assert.equal((await visitor.submit('/', '/login', asked, FORWARDED)).status, 403)
    assert.equal((await visitor.submit('/', '/login', ADA, FORWARDED)).status, 303)
    const made = await visitor.submit(
      '/',
      '/keys',
      { name: 'One', organization: 'north', lifetime: 'never' },
      FORWARDED,
    )
    const [, id = ''] = /^\/keys\/([^/]+)\/created$/.exec(made.location ?? '') ?? []
    assert.ok(id)
    const [key = ''] = /fg_\w+_[\w-]+/.exec((await visitor.get(made.location ?? '')).html) ?? []
    assert.equal((await call(server.url, key, 'list')).status, 200)
    await until(async () => (await audit('--action', 'key.used')).length > 0, 'the first use of the key')
    assert.equal((await visitor.submit(`/keys/${id}/revoke`, `/keys/${id}/revoke`, {}, FORWARDED)).status, 303)
    const other = await output(scratch.path, 'key', 'create', '--user', ADA.email, '--organization', 'north')
    const [{ subject } = { subject: '' }] = await audit('--action', 'key.made', '--limit', '1')
    await output(scratch.path, 'key', 'revoke', subject)
    assert.equal((await visitor.submit('/', '/logout', {}, FORWARDED)).status, 303)

    const command = `command:${userInfo().username}`
    assert.deepEqual(
      (await audit()).map(({ action, who, from }) => [action, who, from === '203.0.113.7']),
      [
        ['organization.made', command, false],
        ['user.made', command, false],
        ['server.started', `server:${userInfo().username}`, false],
        ['login.failed', ADA.email, true],
        ['login', ADA.email, true],
        ['key.made', ADA.email, true],
        ['key.used', `key:${id}`, false],
        ['key.revoked', ADA.email, true],
        ['key.made', command, false],
        ['key.revoked', command, false],
        ['logout', ADA.email, true],
      ],
    )
    const text = JSON.stringify(await audit())
    for (const secret of [key, other, ADA.password, 'wrong']) assert.ok(!text.includes(secret))
    const [started] = await audit('--action', 'server.started')
    const settings = started?.details.settings as Record<string, string>
    assert.deepEqual([settings['audit-log'], settings.proxies], ['-', '1'])
  })

  it('is printed line by line while it is made, and whole when the server has stopped', async () => {
    await until(() => printed.includes('"logout"'), 'the line of the logout')
    await output(scratch.path, 'organization', 'rename', 'north', 'The far north')
    const visitor = new Visitor(server.url)
    for (let count = 0; count < 3; count++)
      assert.equal((await visitor.submit('/', '/login', { ...ADA, email: 'eve@example.org' })).status, 403)
    assert.equal(await stop(server.child), 0)
    const [, ...recorded] = await audit('--since', '2000-01-01T00:00:00Z')
    const lines = printed
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Line)
    assert.deepEqual(lines, recorded.slice(1))
    assert.deepEqual(
      lines.slice(-3).map(({ action, details }) => [action, details.count]),
      [
        ['organization.renamed', undefined],
        ['login.failed', 1],
        ['login.failed', 2],
      ],
    )
  })

  it('is shown as a table, and refuses filters that it does not understand', async () => {
    const table = await output(scratch.path, 'audit', '--action', 'organization')
    assert.match(table, /^AT +ACTION +WHO +FROM +SUBJECT +DETAILS\n.* organization\.made +command:/)
    const refusals: [string[], RegExp][] = [
      [['--since', 'yesterday'], /--since cannot be "yesterday": write it as RFC 3339/],
      [['--action', 'KEY'], /--action cannot be "KEY": give an action such as key\.made/],
      [['--project', 'one'], /"one" is not a UUID/],
      [['--limit', '0'], /--limit cannot be "0"/],
    ]
    for (const [filter, expected] of refusals) {
      const { status, stderr }: Ended = await ask(scratch.path, ['audit', ...filter])
      assert.equal(status, 1)
      assert.match(stderr, expected)
    }
  })
})
