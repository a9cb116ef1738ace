import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Front, startFront } from '../../client/front.js'
import { KEYS, sharedService } from '../../service/service.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

describe('the documentation of the client', () => {
  let front: Front
  let folder: string
  before(async () => {
    front = await startFront((await sharedService()).api)
    folder = await mkdtemp(join(tmpdir(), 'foldgate-docs-'))
  })
  after(async () => {
    front.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('runs as it stands, from top to bottom', async () => {
    const document = await readFile(join(ROOT, 'docs/clients.md'), 'utf8')
    const fences = document.match(/^```\w+$/gm) ?? []
    const blocks = [...document.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
    assert.equal(blocks.length, fences.length, 'every block is code that runs')
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'story.ts'), blocks.join('\n').replaceAll('https://data.example', front.url))
    const environment = { ...process.env, FOLDGATE_KEY: KEYS.north }
    const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', 'story.ts'], {
      cwd: folder,
      env: environment,
    })
    for (const part of ['Project 1 computed', 'GHG emissions', 'bytes', "[ 'entity_id'", '{ n: 16 }'])
      assert.ok(stdout.includes(part), `${part} in ${stdout}`)
    assert.match(stderr, /^engine 1 /m)
    assert.ok((await readdir(folder)).some(name => name.endsWith('.parquet')))
  })
})
