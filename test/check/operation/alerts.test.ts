import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** promtool exits with another status than 0, and so rejects, when a rule is wrong or an alert does not fire. */
describe('the alert rules', () => {
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
})
