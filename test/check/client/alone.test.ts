import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { KEYS, PROJECT, type Service, sharedService } from '../../service/service.js'

const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url))
const run = promisify(execFile)

describe('the client in a folder without packages', () => {
  let service: Service
  let folder: string
  before(async () => {
    service = await sharedService()
    folder = await mkdtemp(join(tmpdir(), 'foldgate-alone-'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    for (const part of [
      'client',
      'errors.js',
      'call/paths-and-headers.js',
      'flow/places.js',
      'values/known-options.js',
      'values/nearest.js',
      'flow/queue.js',
      'flow/waiting.js',
    ])
      await cp(join(DIST, part), join(folder, part), { recursive: true })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function printed(code: string): Promise<unknown> {
    const head = `import { createClient } from './client/index.js'
const client = createClient({ url: '${service.url}', key: '${KEYS.north}' })
const params = { projectId: '${PROJECT}', sql: 'SELECT 1 AS n' }\n`
    await writeFile(join(folder, 'caller.js'), head + code)
    return JSON.parse((await run(process.execPath, ['caller.js'], { cwd: folder })).stdout)
  }

  it('calls and downloads over REST', async () => {
    const code = `const { items } = await client.query(params)
const file = await client.export(params)
const { body } = await client.download(file)
const bytes = (await new Response(body).arrayBuffer()).byteLength
console.log(JSON.stringify([items, bytes === file.bytes]))`
    assert.deepEqual(await printed(code), [[{ n: 1 }], true])
  })

  it('says what to install for a table before it requests the file', async () => {
    const code = `const asked = []
const told = await client.readTable({ get url() { asked.push(1); return 'x' }, bytes: 1 }).catch(error => error.message)
console.log(JSON.stringify([told, asked.length]))`
    const [told, asked] = (await printed(code)) as [string, number]
    assert.match(told, /npm install parquet-wasm apache-arrow/)
    assert.equal(asked, 0)
  })
})
