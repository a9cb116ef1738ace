import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createProgram } from '#server/cli/program.js'
import { openStore, type Store } from '#server/database/store.js'
import { keyPort } from '#server/store/ports.js'
import { logIn } from '#server/store/sessions.js'
import { until } from '../until.js'
import { ask, output, outputJson, run, scratchFolder } from './command.js'
import { isEmbedded, storeAt } from './stores.js'

const signal = AbortSignal.timeout(60_000)
const PROJECT = '6f9619ff-8b86-d011-b42d-00c04fc964ff'
const scratch = scratchFolder()

interface Listed {
  id: string
  name: string
}

/** The store that the commands use, kept open meanwhile as by a running server. */
async function openBeside(folder: string): Promise<Store> {
  return openStore(await storeAt(join(folder, 'foldgate-data', 'control.db')))
}

describe('the command line', () => {
  let folder: string
  let assessment: string

  before(async () => {
    folder = scratch.path
    await run(folder, ['organization', 'add', 'north', '--name', 'The North'])
    await output(folder, 'organization', 'add', 'south', '--name', 'The South')
    await output(folder, 'user', 'add', 'Ada@Example.org', '--organization', 'north')
    await output(folder, 'project', 'add', '--organization', 'north', '--name', 'One', '--id', PROJECT.toUpperCase())
    assessment = await output(folder, 'assessment', 'start', PROJECT)
  })

  it('stores its data readable only by the owner', async () => {
    const data = join(folder, 'foldgate-data')
    assert.equal((await stat(data)).mode & 0o777, 0o700)
    if (isEmbedded) assert.equal((await stat(join(data, 'control.db'))).mode & 0o777, 0o600)
  })

  it('prints lists as JSON objects with id and name', async () => {
    const lists: [string[], Listed][] = [
      [['organization', 'list'], { id: 'north', name: 'The North' }],
      [['user', 'list'], { id: '', name: 'ada@example.org' }],
      [['project', 'list'], { id: PROJECT, name: 'One' }],
      [['assessment', 'list', PROJECT], { id: assessment, name: '' }],
    ]
    for (const [args, expected] of lists) {
      const [first] = await outputJson<Listed[]>(folder, ...args)
      assert.ok(first?.id && first.name)
      if (expected.id) assert.equal(first.id, expected.id)
      if (expected.name) assert.equal(first.name, expected.name)
    }
    assert.deepEqual(await outputJson(folder, 'snapshot', 'list', PROJECT), [])
    assert.deepEqual(await outputJson(folder, 'usage'), [])
  })

  it('chooses the engine of a project, and refuses unknown ones', async () => {
    const engineOf = async () => (await outputJson<{ engine?: string }[]>(folder, 'project', 'list'))[0]?.engine
    assert.equal(await engineOf(), undefined)
    assert.equal(await output(folder, 'project', 'engine', PROJECT, 'trino'), `${PROJECT}: trino`)
    assert.equal(await engineOf(), 'trino')
    const { status, stderr } = await ask(folder, ['project', 'engine', PROJECT, 'oracle'])
    assert.deepEqual([status, stderr], [1, 'error: There is no engine "oracle": choose duckdb or trino\n'])
    await output(folder, 'project', 'engine', PROJECT, 'duckdb')
    assert.equal(await engineOf(), undefined)
  })

  it('prints lists as aligned tables', async () => {
    const [head = '', first = ''] = (await output(folder, 'organization', 'list')).split('\n')
    assert.match(head, /^KEY +NAME +CREATED$/)
    assert.equal(first.indexOf('The North'), head.indexOf('NAME'))
  })

  it('prints only the key, or an object with it, and lists its name, organizations and expiry', async () => {
    const owner = ['--user', 'ADA@example.org', '--organization', 'north']
    const key = await output(folder, 'key', 'create', ...owner)
    const expires = '2099-01-01T01:00:00+01:00'
    const made = await outputJson<Record<string, unknown>>(
      folder,
      ...['key', 'create', ...owner, '--name', 'nightly', '--expires', expires],
    )
    assert.match(key, /^fg_[a-z0-9]{6}_[\w-]{43}$/)
    assert.match(String(made.key), /^fg_[a-z0-9]{6}_[\w-]{43}$/)
    const listed = await outputJson<Record<string, unknown>[]>(folder, 'key', 'list')
    const { key: _, ...rest } = made
    assert.deepEqual(listed.at(-1), rest)
    assert.deepEqual([rest.name, rest.reads, rest.expiresAt], ['nightly', ['north'], '2099-01-01T00:00:00.000Z'])
  })

  it('reads a password from standard input', async () => {
    const args = ['user', 'add', 'bob@example.org', '--organization', 'north', '--organization', 'south']
    const { status, stdout } = await run(folder, [...args, '--password-stdin', '--json'], { input: 'long enough\n' })
    assert.equal(status, 0)
    const user = JSON.parse(stdout)
    assert.deepEqual([user.name, user.organizations, user.hasPassword], ['bob@example.org', ['north', 'south'], true])
    assert.equal(stdout.includes('long enough'), false)
  })

  it('changes a password from standard input', async () => {
    const args = ['user', 'password', 'ADA@example.org']
    const { status, stdout } = await run(folder, args, { input: 'long enough\n' })
    assert.deepEqual([status, stdout], [0, 'ada@example.org has a new password\n'])
    const store = await openBeside(folder)
    assert.ok(await logIn(store, { email: 'ada@example.org', password: 'long enough' }))
    await store.close()
    const short = await run(folder, args, { input: 'short\n' })
    assert.equal(short.status, 1)
    assert.match(short.stderr, /password has 5 characters: use 8 to 1000/)
  })

  it('soon takes effect in a process that has the store open', async () => {
    const store = await openBeside(folder)
    try {
      await output(folder, 'user', 'add', 'eve@example.org', '--organization', 'north', '--organization', 'south')
      const grants = ['--organization', 'north', '--organization', 'south']
      const { id, key } = await outputJson<{ id: string; key: string }>(
        folder,
        ...['key', 'create', '--user', 'eve@example.org', ...grants],
      )
      const { authenticate } = keyPort(store)
      const becomes = (organizations: string | undefined) =>
        until(
          async () => (await authenticate(key, signal))?.organizations.join() === organizations,
          `the key reads ${organizations}`,
        )
      await becomes('north,south')
      await output(folder, 'user', 'revoke', 'eve@example.org', '--organization', 'south')
      await becomes('north')
      await output(folder, 'user', 'grant', 'eve@example.org', '--organization', 'south')
      await becomes('north,south')
      await output(folder, 'key', 'revoke', id)
      await becomes(undefined)
    } finally {
      await store.close()
    }
  })

  it('creates one store when several commands start at once', async () => {
    const fresh = join(folder, 'fresh')
    await mkdir(fresh)
    const keys = ['a', 'b', 'c', 'd']
    const ended = await Promise.all(keys.map(key => run(fresh, ['organization', 'add', key, '--name', key])))
    assert.deepEqual(
      ended.map(each => `${each.status} ${each.stdout}`),
      keys.map(key => `0 ${key}\n`),
    )
    assert.deepEqual(
      (await outputJson<Listed[]>(fresh, 'organization', 'list')).map(each => each.id),
      keys,
    )
  })

  it('takes the data folder from the flag, or else from the environment', async () => {
    const environment = { FOLDGATE_DATA: join(folder, 'elsewhere') }
    const listed = await run(folder, ['organization', 'list', '--json'], { environment })
    assert.equal(listed.stdout, '[]\n')
    const named = await run(folder, ['organization', 'list', '--json', '--data', 'foldgate-data'], { environment })
    assert.equal(JSON.parse(named.stdout).length, 2)
  })

  it('loses no printed key when it is killed', async () => {
    const data = await storeAt(join(folder, 'foldgate-data', 'control.db'))
    const module = (name: string) => JSON.stringify(new URL(`../../server/dist/${name}.js`, import.meta.url))
    const script = `
      const { openStore } = await import(${module('database/store')})
      const { createKey } = await import(${module('store/keys')})
      const store = await openStore(${JSON.stringify(data)})
      for (;;) {
        const { key } = await createKey(store, { user: 'ada@example.org', organizations: ['north'] })
        process.stdout.write(key + '\\n')
      }`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
    let printed = ''
    const ended = new Promise(resolve => child.once('close', resolve))
    child.stdout.on('data', chunk => {
      printed += chunk
      if (printed.length > 5000) child.kill('SIGKILL')
    })
    await ended
    const keys = printed.split('\n').slice(0, -1)
    assert.ok(keys.length > 50)
    const store = await openBeside(folder)
    try {
      for (const key of keys) assert.ok(await keyPort(store).authenticate(key, signal))
    } finally {
      await store.close()
    }
  })

  it('completes no assessment that has sealed no snapshot, unless that is meant', async () => {
    const { status, stdout, stderr } = await ask(folder, ['assessment', 'complete', assessment])
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(
      stderr,
      /has sealed no snapshot, .*"foldgate snapshot seal", .*fail", or add --without-snapshot if that/,
    )
    const [project] = await outputJson<{ state: string }[]>(folder, 'project', 'list')
    assert.equal(project?.state, 'computing')
  })

  it('completes an assessment only once', async () => {
    await output(folder, 'assessment', 'complete', assessment, '--without-snapshot')
    const { status, stderr } = await ask(folder, ['assessment', 'fail', assessment])
    assert.equal(status, 1)
    assert.match(stderr, /has completed: start a new one with "foldgate assessment start"/)
    const [project] = await outputJson<{ state: string }[]>(folder, 'project', 'list')
    assert.equal(project?.state, 'computed')
  })

  it('prints help for every command, with --json and --data in it', async () => {
    const program = await createProgram()
    const leaves = program.commands.flatMap(group => (group.commands.length === 0 ? [group] : [...group.commands]))
    assert.ok(leaves.length >= 20)
    for (const command of leaves) {
      const help = command.helpInformation()
      assert.match(help, /--json/)
      const needsNoFolder = command.parent === program && command.name() === 'check'
      if (!needsNoFolder) assert.match(help, /--data <folder>/)
      assert.ok(command.description().length > 10, command.name())
    }
    const { status, stdout } = await ask(folder, ['serve', '--help'])
    assert.equal(status, 0)
    assert.match(
      stdout,
      /--limits <file>[\s\S]*FOLDGATE_LIMITS[\s\S]*^ {2}queryTimeout <duration>: .* \(default: 30s\)$/m,
    )
  })
})
