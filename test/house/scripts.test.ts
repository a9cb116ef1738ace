import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchFolder } from '../server/command.js'
import { filesOfRepository, readFromRoot } from './documents.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['.ci', 'bench', 'deploy', 'docs', 'examples', 'lib', 'packages', 'server', 'test']
const DOCUMENTS = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']
const SETTINGS = [
  '.gitignore',
  '.mocharc.json',
  'biome.json',
  'package-lock.json',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.test.json',
  'typedoc.json',
]
/** What reads its arguments itself: commands, processes that the library starts, and scripts that a test installs. */
const READERS =
  /^(server\/cli\/main\.ts|packages\/trino\/src\/main\.ts|lib\/(flow\/child|sandbox\/(at-rest-process|probe))\.ts|examples\/shop\/host\.js|test\/script\.ts|test\/check\/(generators|libraries|readers)\/.*\.mjs)$/
const run = promisify(execFile)

describe('the repository', () => {
  it('tracks nothing at its top beyond these names', async () => {
    const { stdout } = await run('git', ['ls-tree', '--name-only', 'HEAD'], { cwd: ROOT })
    const known = [...FOLDERS, ...DOCUMENTS, ...SETTINGS]
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .filter(name => !known.includes(name)),
      [],
    )
  })

  it('has few scripts that read their arguments themselves', async () => {
    const files = await filesOfRepository('.ts', '.js', '.mjs')
    const readers: string[] = []
    for (const file of files.filter(file => !file.endsWith('.test.ts')))
      if (/\bprocess\.argv\b/.test(await readFromRoot(file))) readers.push(file)
    assert.deepEqual(
      readers.filter(file => !READERS.test(file)),
      [],
    )
  })
})

describe('a script of the tests', () => {
  const scratch = scratchFolder()
  const script = join(ROOT, 'test/check/sealing/dying-sealer.ts')
  const start = (...args: string[]) =>
    run(process.execPath, ['--import', join(ROOT, 'node_modules/tsx/dist/loader.mjs'), ...args], { cwd: scratch.path })

  for (const args of [[], ['--diff'], ['folder', 'more']])
    it(`refuses ${args.join(' ') || 'nothing'} with a status of 2, and makes no folder`, async () => {
      const stderr = 'Usage: dying-sealer.ts FOLDER\n'
      await assert.rejects(start(script, ...args), { code: 2, stderr })
      for (const folder of ['folder', '--diff'])
        await assert.rejects(access(join(scratch.path, folder)), { code: 'ENOENT' })
    })

  it('does nothing when it is imported', async () => {
    await assert.rejects(import(script), /is a script: start it/)
  })
})
