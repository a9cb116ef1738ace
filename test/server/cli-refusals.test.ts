import assert from 'node:assert/strict'
import { chown, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, output, run, scratchFolder } from './command.js'

const PROJECT = '6f9619ff-8b86-d011-b42d-00c04fc964ff'
const scratch = scratchFolder()

describe('the command line refuses', () => {
  let folder: string

  before(async () => {
    folder = scratch.path
    for (const key of ['north', 'south']) await output(folder, 'organization', 'add', key, '--name', key)
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'north')
    await output(folder, 'project', 'add', '--organization', 'north', '--name', 'One', '--id', PROJECT)
    await output(folder, 'assessment', 'start', PROJECT)
  })

  it('to run as root on the data folder of another user, and leaves nothing in it', async function () {
    if (process.getuid?.() !== 0) return this.skip()
    const theirs = join(folder, 'theirs')
    await mkdir(theirs)
    await chown(theirs, 12_345, 12_345)
    const { status, stderr } = await ask(folder, ['organization', 'list', '--data', theirs])
    assert.equal(status, 1)
    assert.match(stderr, /belongs to the user with the id 12345, .* run the command as that user, .* sudo -u '#12345'/)
    const own = await run(folder, ['organization', 'list'], { environment: { FOLDGATE_SHARED: theirs } })
    assert.match(own.stderr, /The shared folder .* belongs to the user with the id 12345/)
    assert.deepEqual(await readdir(theirs), [])
  })

  const owner = ['--user', 'ada@example.org', '--organization', 'north']
  const refused: [string[], RegExp][] = [
    [['organization', 'add', 'north', '--name', 'x'], /"north" already exists: choose another key/],
    [['organization', 'add', 'no rth', '--name', 'x'], /"no rth" cannot be the key of an organization: use letters/],
    [['organization', 'add', 'west', '--name', ''], /name of the organization is empty: give one/],
    [['user', 'add', 'nobody', '--organization', 'north'], /"nobody" is not an e-mail address: write it as/],
    [['user', 'add', 'ada@example.org', '--organization', 'north'], /already exists: use "foldgate user grant"/],
    [['user', 'add', 'new@example.org', '--organization', 'west'], /no organization "west": see "foldgate organ/],
    [['user', 'add', 'new@example.org', '--organization', 'north', '--password-stdin'], /password has 0 characters/],
    [['user', 'grant', 'who@example.org', '--organization', 'north'], /no user who@example\.org: see "foldgate user/],
    [['user', 'grant', 'ada@example.org', '--organization', 'west'], /no organization "west"/],
    [['user', 'revoke', 'ada@example.org', '--organization', 'south'], /does not read the organization "south"/],
    [['key', 'create', '--user', 'who@example.org', '--organization', 'north'], /no user who@example\.org/],
    [['key', 'create', '--user', 'ada@example.org', '--organization', 'south'], /grant it first with "foldgate user/],
    [['key', 'create', ...owner, '--expires', '2020-01-01T00:00:00Z'], /is in the past: name a time in the future/],
    [['key', 'create', ...owner, '--expires', 'tomorrow'], /--expires cannot be "tomorrow": write it as RFC 3339/],
    [['key', 'create', ...owner, '--expires', '2099-02-30T00:00:00Z'], /write it as RFC 3339/],
    [['key', 'revoke', 'none'], /no key with the id "none": see "foldgate key list"/],
    [['project', 'add', '--organization', 'west', '--name', 'x'], /no organization "west"/],
    [['project', 'add', '--organization', 'north', '--name', 'x', '--id', '12'], /"12" is not a UUID: write it as/],
    [['project', 'add', '--organization', 'north', '--name', 'x', '--id', PROJECT], /already exists: leave the id/],
    [['assessment', 'start', 'one'], /"one" is not a UUID/],
    [['assessment', 'start', PROJECT.replace('6', '7')], /no project 7f96.*: see "foldgate project list"/],
    [['assessment', 'start', PROJECT], /one at a time: end it first with "foldgate assessment complete"/],
    [['assessment', 'complete', 'none'], /no assessment "none": see "foldgate assessment list PROJECT"/],
    [['assessment', 'list', 'one'], /"one" is not a UUID/],
    [['snapshot', 'seal', 'none', '.'], /no assessment "none"/],
    [['snapshot', 'list', PROJECT.replace('6', '7')], /no project 7f96/],
    [['snapshot', 'prune', 'one'], /"one" is not a UUID/],
    [['usage', '--key', 'none'], /no key with the id "none": see "foldgate key list"/],
    [['usage', '--days', '0'], /--days cannot be "0": give a whole number from 1 to 3650/],
    [['serve', '--port', 'eighty'], /--port cannot be "eighty": give a whole number from 0 to 65535/],
    [['serve', '--data', ''], /--data cannot be "": give the path of a folder/],
    [
      ['serve', '--data', 'what?'],
      /data folder "what\?" contains a question mark, and the engine cannot open files in such a folder/,
    ],
    [['demo', '--port', '-1'], /--port cannot be "-1": give a whole number/],
  ]

  it('bad input with status 1 and a message that says what to change, without a stack', async () => {
    for (const [args, message] of refused) {
      // Commands that open more than the store run in their own process, which has to end by itself.
      const isAlone = ['serve', 'demo'].includes(args[0] ?? '')
      const { status, stdout, stderr } = await (isAlone ? run : ask)(folder, args)
      assert.equal(status, 1, args.join(' '))
      assert.match(stderr, message)
      assert.match(stderr, /^error: /)
      assert.doesNotMatch(stderr, /\n\s+at /)
      assert.equal(stdout, '', args.join(' '))
    }
  })

  const misused: [string[], RegExp][] = [
    [[], /Usage: foldgate/],
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['key'], /Usage: foldgate key/],
    [['key', 'burn'], /unknown command 'burn'/],
    [['key', 'list', '--all'], /unknown option '--all'/],
    [['key', 'create', '--user', 'ada@example.org'], /required option '--organization <key>' not specified/],
    [['assessment', 'start'], /missing required argument 'project'/],
    [['assessment', 'start', PROJECT, 'twice'], /too many arguments/],
    [['organization', 'add', 'west', '--name'], /option '--name <name>' argument missing/],
    [['serve', '--frobnicate'], /unknown option '--frobnicate'/],
  ]

  it('bad usage with status 2', async () => {
    for (const [args, message] of misused) {
      const { status, stdout, stderr } = await (args.length === 0 ? run : ask)(folder, args)
      assert.equal(status, 2, args.join(' '))
      assert.match(stderr, message)
      assert.equal(stdout, '')
    }
  })

  it('with an error that is plain text even with --json', async () => {
    const { status, stdout, stderr } = await ask(folder, ['key', 'revoke', 'none', '--json'])
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^error: There is no key/)
  })
})
