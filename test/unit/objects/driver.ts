import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAll, type ObjectStore, textOf } from '#lib/objects/store.js'
import { digestOf } from './memory.js'
import { signal } from './world.js'

/** Registers tests of what every object store does. */
export function testDriver(open: () => Promise<{ store: ObjectStore; close(): Promise<void> }>): void {
  let folder: string
  let store: ObjectStore
  let close: () => Promise<void>
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-driver-'))
    ;({ store, close } = await open())
  })
  afterEach(async () => {
    await rm(folder, { recursive: true })
    await close()
  })
  const keys = async (prefix: string) => (await listAll(store, prefix, signal)).map(({ key }) => key)

  it('has an object as it was put, and none that was not', async () => {
    assert.equal(await store.put('a/b/c.json', '{"ä": 1}', signal), true)
    assert.equal(await textOf(store, 'a/b/c.json', signal), '{"ä": 1}')
    assert.equal((await store.stat('a/b/c.json', signal))?.bytes, 9)
    for (const key of ['a/b', 'a/b/c', 'a/b/c.json/d', 'x']) {
      assert.equal(await store.get(key, signal), null, key)
      assert.equal(await store.stat(key, signal), null, key)
    }
  })

  it('puts a text once, by whichever of many requests is first', async () => {
    const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`)
    const put = await Promise.all(texts.map(text => store.put('a/one', text, signal)))
    assert.deepEqual(put.filter(Boolean), [true])
    assert.equal(await textOf(store, 'a/one', signal), texts[put.indexOf(true)])
    assert.equal(await store.put('a/one', 'another', signal), false)
    assert.deepEqual(await keys(''), ['a/one'])
  })

  it('puts the bytes of a file', async () => {
    const path = join(folder, 'file')
    const text = 'x'.repeat(3 * 1024 ** 2)
    await writeFile(path, text)
    await utimes(path, 0, 0)
    const before = Date.now()
    assert.equal(await store.put('t/file', { path, sha256: digestOf(text) }, signal), true)
    assert.equal(digestOf((await textOf(store, 't/file', signal)) ?? ''), digestOf(text))
    const { modifiedAt = 0 } = (await store.stat('t/file', signal)) ?? {}
    assert.ok(modifiedAt > before - 10_000, 'an object is as old as its put')
    await assert.rejects(store.put('t/none', { path: join(folder, 'none') }, signal), { code: 'ENOENT' })
    assert.deepEqual(await keys(''), ['t/file'])
  })

  it('lists keys by prefix in the order of their bytes, from after a key', async () => {
    const all = ['a/1', 'a/10', 'a/2/x', 'a/2/y', 'a/2-', 'a/2.json', 'b/1', 'ab/1']
    for (const key of all) await store.put(key, key, signal)
    const sorted = all.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    assert.deepEqual(await keys(''), sorted)
    for (const prefix of ['a/', 'a/2', 'a/2/', 'b/', 'c/', 'a'])
      assert.deepEqual(
        await keys(prefix),
        sorted.filter(key => key.startsWith(prefix)),
        prefix,
      )
    for (const after of [...all, 'a/20', 'a/0', 'a/2/', 'z']) {
      const found: string[] = []
      for await (const page of store.list('a/', signal, after)) found.push(...page.map(({ key }) => key))
      assert.deepEqual(
        found,
        sorted.filter(key => key.startsWith('a/') && key > after),
        after,
      )
    }
  })

  it('deletes objects, and those that are not there, and has room for others of the same folders', async () => {
    for (const key of ['a/b/1', 'a/b/2', 'a/c']) await store.put(key, key, signal)
    await store.delete(['a/b/1', 'a/b/2', 'a/b/3', 'none'], signal)
    assert.deepEqual(await keys(''), ['a/c'])
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        assert.equal(await store.put(`a/b/${at}`, 'x', signal), true)
        await store.delete([`a/b/${at}`], signal)
      }),
    )
    assert.deepEqual(await keys(''), ['a/c'])
  })

  it('does nothing once the signal is aborted', async () => {
    const gone = AbortSignal.abort(new Error('stop'))
    await assert.rejects(store.put('a', 'b', gone), /stop/)
    await assert.rejects(async () => {
      for await (const _ of store.list('', gone)) assert.fail('a page')
    }, /stop/)
    assert.deepEqual(await keys(''), [])
  })
}
