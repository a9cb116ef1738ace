import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AnalyticsEvent } from 'foldgate'

/** Opens an engine, and prints the events about its walls. A process of its own, since walls are found once. */
const PROGRAM = `
  import { defineCatalogue, defineTable, duckdbEngine } from 'foldgate'
  const relations = [defineTable({ name: 'items', about: 'Items.', unique: ['item'], columns: { item: { type: 'VARCHAR', about: 'Item.' } } })]
  const [folder, sandbox] = process.argv.slice(1)
  const events = []
  const host = { catalogue: defineCatalogue({ relations }), limits: { connectionWaitMs: 1000 }, onEvent: event => events.push(event) }
  const engine = duckdbEngine({ folder, sandbox })(host)
  await engine.ready()
  await engine.close()
  process.stdout.write(JSON.stringify(events.filter(({ type }) => type === 'sandbox')))
`

describe('an engine on a machine without walls', () => {
  let folder: string
  before(async function () {
    if (process.platform !== 'linux') this.skip()
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await mkdir(join(folder, 'bin'))
    for (const name of ['bwrap', 'setpriv']) {
      await writeFile(join(folder, 'bin', name), '#!/bin/sh\necho "not allowed here" >&2\nexit 1\n')
      await chmod(join(folder, 'bin', name), 0o755)
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function eventsWith(sandbox: string): Promise<AnalyticsEvent[]> {
    const args = ['--input-type=module', '--eval', PROGRAM, join(folder, 'engine'), sandbox]
    const env = { ...process.env, PATH: join(folder, 'bin') }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    return JSON.parse(stdout) as AnalyticsEvent[]
  }

  it('tells once that its processes run without them, and why', async () => {
    const [event, ...others] = await eventsWith('auto')
    const { missing, ...rest } = event as Extract<AnalyticsEvent, { type: 'sandbox' }>
    assert.deepEqual([rest, others], [{ type: 'sandbox', launcher: null, walls: [] }, []])
    assert.match(missing, /^bubblewrap does not start: not allowed here; setpriv does not start: .* Install /)
  })

  it('tells nothing when the host wants none', async () => {
    assert.deepEqual(await eventsWith('off'), [])
  })
})
