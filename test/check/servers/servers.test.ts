import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openStore, type Store } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import { scratchFolder } from '../../server/command.js'
import { writePackage } from '../../server/package.js'
import { call } from '../../server/server.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { exports, keys, pages, seals, type Work } from './load.js'
import { Service } from './service.js'

const scratch = scratchFolder()
const QUOTA = 3000
const LOAD_MS = 12_000

describe('three servers on one PostgreSQL and one shared folder', () => {
  let service: Service
  let store: Store

  before(async function () {
    if (!postgresUrl) this.skip()
    const url = await storeInPostgres(scratch.path)
    service = new Service(scratch.path, url, { quota: `${QUOTA}/1h` })
    // All start at once; one of them creates the tables.
    await Promise.all(['one', 'two', 'three'].map(name => service.start(name)))
    await writePackage(join(scratch.path, 'package'))
    await service.command('import', join(scratch.path, 'package'))
    await service.command('user', 'add', 'ada@example.org', '--organization', 'north', '--organization', 'south')
    await service.command('user', 'add', 'eve@example.org', '--organization', 'north')
    store = await openStore(url)
  })

  after(async () => {
    service?.killAll()
    await store?.close()
  })

  const makeKey = async (user = 'ada@example.org', organizations = ['north', 'south']) =>
    (await createKey(store, { user, organizations })).key

  it('give right answers, or retryable ones, while one is killed under load and restarted', async () => {
    const stranger = await makeKey('eve@example.org', ['north'])
    const { seal, read } = await seals(service, scratch.path, await makeKey())
    const load: Record<string, Work> = {
      pages: pages(service, await makeKey()),
      morePages: pages(service, await makeKey()),
      exports: exports(service, await makeKey(), stranger),
      keys: keys(service, store),
      seal,
      read,
    }
    const killed = service.urlOf('two')
    const end = performance.now() + LOAD_MS
    const rounds = new Map<string, number>()
    const repeat = async (name: string, work: Work) => {
      while (performance.now() < end) {
        await work()
        rounds.set(name, (rounds.get(name) ?? 0) + 1)
      }
    }
    const disturb = async () => {
      while (rounds.size < Object.keys(load).length) await service.call(stranger, 'list')
      await service.kill('two')
      while (performance.now() < end - LOAD_MS / 3) await service.call(stranger, 'list')
      await service.start('two')
    }
    await Promise.all([disturb(), ...Object.entries(load).map(([name, work]) => repeat(name, work))])
    console.log(`      ${[...rounds].map(([name, times]) => `${name} ${times}`).join(', ')}`)
    for (const name of Object.keys(load)) assert.ok((rounds.get(name) ?? 0) >= 2, name)
    const silent = [...service.retried.keys()].filter(what => what !== 'UNAVAILABLE')
    assert.deepEqual(silent, [`no answer from ${killed}`])
  })

  it('together grant at most the quota, and lose only calls whose answer was cut off', async () => {
    const { key, id } = await createKey(store, { user: 'ada@example.org', organizations: ['north'] })
    let granted = 0
    let cut = 0
    const flood = async (url: string) => {
      for (;;) {
        const status = await call(url, key, 'list').then(
          answer => answer.status,
          () => 0,
        )
        if (status === 200) granted += 1
        else if (status === 0) cut += 1
        else assert.equal(status, 429)
        if (status !== 200) return
        if (granted === QUOTA / 3) void service.kill('three')
      }
    }
    const callers = 8
    await Promise.all(service.urls.flatMap(url => Array.from({ length: callers }, () => flood(url))))
    assert.equal(cut, callers)
    assert.ok(granted <= QUOTA && granted >= QUOTA - cut, `${granted} granted, ${cut} cut`)
    const window = store.db.selectFrom('call_windows').select('taken').where('id', '=', id)
    assert.equal((await window.executeTakeFirst())?.taken, QUOTA)
    assert.equal((await service.call(key, 'list')).class, 'RATE_LIMITED')
  })
})
