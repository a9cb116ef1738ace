import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryQuota } from 'foldgate'
import { KEYS, type Service, startService } from '../../service/service.js'
import { install, installPython, PYTHON, run } from './tools.js'

const CONFIG = fileURLToPath(new URL('./schemathesis.toml', import.meta.url))

describe('Schemathesis', function () {
  this.timeout(300_000)
  let service: Service
  let folder: string
  let commands: string | null
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-schemathesis-'))
    commands = await install('Schemathesis', () => installPython(folder, PYTHON.schemathesis))
    if (!commands) this.skip()
    service = await startService({ quota: memoryQuota({ calls: 100_000, windowMs: 60_000 }) })
  })
  after(async () => {
    await service?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('finds no 5xx and no answer that is not as described', async () => {
    const given = ['--config-file', CONFIG, 'run', `${service.url}/public/v1/openapi.json`]
    const report = await run(join(commands ?? '', 'schemathesis'), given, folder, { FOLDGATE_KEY: KEYS.north })
    assert.match(report, /Selected: (\d\d)\/\1\s+Tested: \1\b/)
    for (const phase of ['Examples', 'Coverage', 'Fuzzing', 'Stateful']) assert.match(report, new RegExp(`✅ ${phase}`))
    assert.ok(Number(/(\d+) generated/.exec(report)?.[1]) >= 200, report)
  })
})
