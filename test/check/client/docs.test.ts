import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { blocksOf } from '../../house/documents.js'
import { KEYS, type Service, startService } from '../../service/service.js'
import { SHOP, shop } from '../../service/shop.js'
import { furnish } from '../documents/compile.js'
import { type Front, startFront } from './front.js'

const run = promisify(execFile)

describe('the documentation of the client', () => {
  let service: Service
  let front: Front
  let folder: string
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP })
    front = await startFront(service.api)
    folder = await mkdtemp(join(tmpdir(), 'foldgate-docs-'))
  })
  after(async () => {
    front.close()
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('runs unchanged, from top to bottom', async () => {
    const blocks = (await blocksOf('docs/clients.md')).map(({ code }) => code)
    assert.ok(blocks.length >= 8)
    await furnish(folder)
    await writeFile(join(folder, 'story.ts'), blocks.join('\n').replaceAll('https://data.example', front.url))
    const environment = { ...process.env, FOLDGATE_KEY: KEYS.north }
    const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', 'story.ts'], {
      cwd: folder,
      env: environment,
    })
    for (const part of [
      'Project 1 computed',
      '2025-05-01 165\n',
      'bytes',
      "[ 'month'",
      '[ { n: 1 }, { n: 3 }, { n: 1 } ]',
    ])
      assert.ok(stdout.includes(part), `${part} in ${stdout}`)
    assert.match(stderr, /^engine 1 /m)
    assert.ok((await readdir(folder)).some(name => name.endsWith('.parquet')))
  })
})
