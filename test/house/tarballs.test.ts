import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchFolder } from '../server/command.js'
import { OF_AUDIENCES, readFromRoot } from './documents.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REPOSITORY = 'https://github.com/foldgate/foldgate'
/** Folder of each package. */
const PACKAGES = {
  foldgate: '',
  'foldgate-server': 'server/',
  ...Object.fromEntries(OF_AUDIENCES.map(name => [`foldgate-${name}`, `packages/${name}/`])),
}
const run = promisify(execFile)

describe('the tarballs of the packages', () => {
  const scratch = scratchFolder()

  it('have no scripts, which could not run there; the repository keeps them', async () => {
    const { scripts, files } = JSON.parse(await readFromRoot('package.json'))
    const own = { name: 'packed', version: '1.0.0', files, scripts: { ...scripts, prepare: 'echo built' } }
    const before = `${JSON.stringify(own, null, 2)}\n`
    await mkdir(join(scratch.path, 'dist'))
    await writeFile(join(scratch.path, 'package.json'), before)
    await run('npm', ['pack'], { cwd: scratch.path })
    assert.equal(await readFile(join(scratch.path, 'package.json'), 'utf8'), before)
    const tar = ['-xOzf', 'packed-1.0.0.tgz', 'package/package.json']
    const { stdout } = await run('tar', tar, { cwd: scratch.path })
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['name', 'version', 'files'])
    for (const folder of Object.values(PACKAGES).filter(each => each !== ''))
      assert.equal(JSON.parse(await readFromRoot(`${folder}package.json`)).scripts, undefined, folder)
  })

  for (const [name, folder] of Object.entries(PACKAGES))
    describe(name, () => {
      let files: string[]
      before(async () => {
        const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
        const { stdout } = await run('npm', args, { cwd: join(ROOT, folder), maxBuffer: 16 * 1024 ** 2 })
        const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }]
        files = packed.files.map(({ path }) => path)
      })

      it('has a README and names the repository', async () => {
        assert.ok(files.includes('README.md'))
        const { repository, homepage } = JSON.parse(await readFromRoot(`${folder}package.json`))
        assert.equal(repository.url, `git+${REPOSITORY}.git`)
        assert.equal(repository.directory, folder === '' ? undefined : folder.slice(0, -1))
        assert.ok(homepage.startsWith(REPOSITORY))
      })

      it('has every file to which its documents link', async () => {
        let links = 0
        for (const document of files.filter(file => file.endsWith('.md'))) {
          const text = (await readFromRoot(folder + document)).replace(/```[\s\S]*?```/g, '')
          for (const [, link = ''] of text.matchAll(/\]\(([^)#\s]+)/g)) {
            links += 1
            if (/^https:/.test(link)) continue
            const target = normalize(join(dirname(document), link))
            const isThere = files.some(file => file === target || file.startsWith(`${target}/`))
            assert.ok(isThere, `${document} links to ${link}, which is not in the tarball`)
          }
        }
        assert.ok(links > 0)
      })
    })
})
