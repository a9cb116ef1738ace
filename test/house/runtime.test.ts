import assert from 'node:assert/strict'
import { OF_AUDIENCES, readFromRoot } from './documents.js'
import { importsBelow } from './imports.js'

const ROOT = new URL('../../', import.meta.url).pathname

describe('a checkout without its development dependencies', () => {
  it('has every package that the server and the packages for audiences import', async () => {
    const { packages } = JSON.parse(await readFromRoot('package-lock.json')) as {
      packages: Record<string, { dev?: boolean }>
    }
    const folders = ['server', ...OF_AUDIENCES.map(name => `packages/${name}/src`)]
    const imports = (await Promise.all(folders.map(folder => importsBelow(ROOT + folder)))).flat()
    const named = imports.filter(({ file, isOfTypes }) => !isOfTypes && !file.startsWith('script/'))
    const names = named.flatMap(({ from }) => /^(?:@[^/]+\/)?[a-z][^/:]*(?=$|\/)/.exec(from)?.[0] ?? [])
    const wanted = [...new Set(names)].filter(name => !name.startsWith('foldgate'))
    assert.ok(wanted.includes('@aws-sdk/lib-storage') && wanted.includes('pg-copy-streams') && wanted.length > 10)
    assert.deepEqual(
      wanted.filter(name => packages[`node_modules/${name}`]?.dev !== undefined),
      [],
    )
  })
})
