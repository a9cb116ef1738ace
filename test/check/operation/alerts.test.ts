import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { scratchFolder } from '../../server/command.js'

const run = promisify(execFile)
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const scratch = scratchFolder()

interface Dashboard {
  panels: { targets?: { expr: string }[] }[]
}

/** promtool exits with another status than 0, and so rejects, when a rule is wrong or an alert does not fire. */
describe('the alert rules and the dashboard', () => {
  before(async function () {
    if (await run('promtool', ['--version']).catch(() => null)) return
    console.log('      left out: promtool is not installed')
    this.skip()
  })

  it('are valid', async () => {
    await run('promtool', ['check', 'rules', at('../../../deploy/prometheus/alerts.yaml')])
  })

  it('fire in trouble, and not while a server works', async () => {
    await run('promtool', ['test', 'rules', at('alerts.yaml')])
  })

  it('have queries that Prometheus can parse', async () => {
    const { panels } = JSON.parse(await readFile(at('../../../deploy/grafana/dashboard.json'), 'utf8')) as Dashboard
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(queries.length > 10)
    // As rules, after the replacements that Grafana makes.
    const rules = queries.map((expr, number) => ({
      record: `query:${number}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const file = join(scratch.path, 'queries.yaml')
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules }] }))
    await run('promtool', ['check', 'rules', file])
  })
})
