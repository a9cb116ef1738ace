import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { blocksOf } from '../../house/documents.js'
import { scratchFolder } from '../../server/command.js'
import { postgresUrl } from '../../server/stores.js'
import { HostProcess } from './process.js'
import { projectOf } from './started.js'
import { Vendor } from './vendor.js'

const README = 'examples/refresh/README.md'
const GUIDE = 'docs/guides/refreshing.md'
const run = promisify(execFile)

/** The code of the blocks below a heading. */
async function codeBelow(document: string, heading: string): Promise<string[]> {
  return (await blocksOf(document)).filter(({ below }) => below === heading).map(({ code }) => code)
}

describe('the documents of the example that refreshes', function () {
  this.timeout(60_000)
  const scratch = scratchFolder()
  let vendor: Vendor
  let host: HostProcess
  before(async function () {
    if (!postgresUrl) return this.skip()
    vendor = await Vendor.open(3)
    host = await HostProcess.start(scratch.path, { DATABASE_URL: vendor.url() })
    await host.until('refreshed')
  })
  after(async () => {
    host?.kill()
    await vendor?.close()
  })

  const shell = async (command: string) => (await run('bash', ['-euo', 'pipefail', '-c', command])).stdout

  it('have commands that the host answers as the README says', async () => {
    const blocks = await codeBelow(README, 'From a database to snapshots, every five minutes')
    const [prepare = '', ask = '', answer = '', metrics = '', ...others] = blocks
    assert.deepEqual(others, [])
    const [variable, fill, start] = prepare.trim().split('\n')
    assert.match(variable ?? '', /^export DATABASE_URL=postgres:/)
    assert.match(fill ?? '', / examples\/refresh\/schema\.sql$/)
    assert.match(start ?? '', / examples\/refresh\/main\.ts$/)
    assert.deepEqual(JSON.parse(await shell(ask.replace('http://localhost:8091', host.url))), JSON.parse(answer))
    const samples = await shell(metrics.replace('http://localhost:9091', host.metricsUrl))
    for (const tenant of [1, 2, 3]) assert.match(samples, new RegExp(`{project="${projectOf(tenant)}"} \\d+`))
  })

  it('have alerts on metrics that the host has', async () => {
    const [alerts = '', ...others] = (await codeBelow(GUIDE, 'How often')).filter(code => code.startsWith('- alert'))
    assert.deepEqual(others, [])
    const rules = parse(alerts) as { alert: string; expr: string }[]
    const metrics = await (await fetch(`${host.metricsUrl}/metrics`)).text()
    const names = rules.flatMap(({ expr }) => expr.match(/\brefresh_\w+/g) ?? [])
    assert.equal(names.length, 2)
    for (const name of names) assert.match(metrics, new RegExp(`^# TYPE ${name} gauge$`, 'm'))
    if (!(await run('promtool', ['--version']).catch(() => null))) return
    const file = join(scratch.path, 'alerts.yaml')
    await writeFile(file, stringify({ groups: [{ name: 'refresh', rules }] }))
    await run('promtool', ['check', 'rules', file]) // rejects when a rule is wrong
    const given = join(scratch.path, 'metrics')
    await writeFile(given, metrics)
    await shell(`promtool check metrics < ${given}`)
  })
})
