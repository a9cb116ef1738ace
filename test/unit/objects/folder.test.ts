import assert from 'node:assert/strict'
import promises, { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderObjects } from '#lib/objects/folder.js'
import { listAll, textOf } from '#lib/objects/store.js'
import { testDriver } from './driver.js'
import { signal } from './world.js'

describe('objects in a folder', () => {
  testDriver(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-objects-'))
    return { store: folderObjects(join(folder, 'objects')), close: () => rm(folder, { recursive: true }) }
  })

  describe('on a file system', () => {
    const { link, rename } = promises
    let folder: string
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'foldgate-objects-'))
    })
    afterEach(async () => {
      Object.assign(promises, { link, rename })
      syncBuiltinESMExports()
      await rm(folder, { recursive: true })
    })
    const failing = (call: 'link' | 'rename', code: string) => {
      const fail = () => Promise.reject(Object.assign(new Error(code), { code }))
      Object.assign(promises, { [call]: fail })
      syncBuiltinESMExports()
    }

    it('without hard links, are not put, and nothing is left', async () => {
      for (const code of ['EPERM', 'ENOTSUP', 'EMLINK']) {
        failing('link', code)
        await assert.rejects(folderObjects(folder).put('a/b', 'text', signal), /has no hard links/)
        assert.deepEqual(await readdir(join(folder, 'a')), [])
      }
    })

    it('other than that of a file, are copies of it', async () => {
      const path = join(folder, 'given')
      await writeFile(path, 'text')
      failing('rename', 'EXDEV')
      const store = folderObjects(join(folder, 'objects'))
      assert.equal(await store.put('a/b', { path }, signal), true)
      assert.equal(await textOf(store, 'a/b', signal), 'text')
      assert.deepEqual(await readdir(join(folder, 'objects', 'a')), ['b'])
    })

    it('are in folders of the permissions that were asked for', async function () {
      if (process.platform === 'win32') return this.skip()
      await folderObjects(join(folder, 'private'), 0o700).put('a', 'text', signal)
      assert.equal((await stat(join(folder, 'private'))).mode & 0o777, 0o700)
    })

    it('are listed where something else is in their place, which is not read', async () => {
      const store = folderObjects(folder)
      await writeFile(join(folder, 'other'), 'secret')
      await mkdir(join(folder, 'a'))
      await symlink('../other', join(folder, 'a', 'link'))
      assert.deepEqual(
        (await listAll(store, 'a/', signal)).map(({ key }) => key),
        ['a/link'],
      )
      await assert.rejects(store.get('a/link', signal), /symbolic link/)
      assert.equal(await store.put('a/link', 'text', signal), false)
    })
  })
})
