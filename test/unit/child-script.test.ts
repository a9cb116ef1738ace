import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const SCRIPT = fileURLToPath(import.meta.resolve('#lib/sandbox/script.js'))
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const [EARLIER, LATER] = [new Date(1_000_000), new Date(2_000_000)]

describe('the script of a child process', () => {
  let folder: string
  let childScript: (path: string, from: string) => URL
  const at = (...names: string[]) => join(folder, 'dist', ...names)
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    await symlink(MODULES, join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    for (const file of [at('engine', 'child.js'), at('bundle', 'engine', 'child.js'), at('sandbox', 'script.js')]) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, '')
    }
    await copyFile(SCRIPT, at('sandbox', 'script.js'))
    const copied = await import(pathToFileURL(at('sandbox', 'script.js')).href)
    childScript = copied.childScript
  })
  after(() => rm(folder, { recursive: true }))

  const found = () => fileURLToPath(childScript('./child.js', pathToFileURL(at('engine', 'host.js')).href))
  /** Records when the bundle was made and, unless it is a package, when the modules were compiled. */
  async function made(bundled: Date, compiled: Date | null): Promise<void> {
    await utimes(at('bundle', 'engine', 'child.js'), bundled, bundled)
    await rm(at('.tsbuildinfo'), { force: true })
    if (compiled === null) return
    await writeFile(at('.tsbuildinfo'), '')
    await utimes(at('.tsbuildinfo'), compiled, compiled)
  }

  it('is its bundle in a package, and after a build', async () => {
    await made(EARLIER, null)
    assert.equal(found(), at('bundle', 'engine', 'child.js'))
    await made(LATER, EARLIER)
    assert.equal(found(), at('bundle', 'engine', 'child.js'))
  })

  it('is not its bundle once the modules were compiled again, or if there is none', async () => {
    await made(EARLIER, LATER)
    assert.equal(found(), at('engine', 'child.js'))
    await rm(at('bundle'), { recursive: true })
    assert.equal(found(), at('engine', 'child.js'))
  })
})
