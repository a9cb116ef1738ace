import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { watchDescriptors } from '#server/serving/descriptors.js'
import { measureHealth } from '#server/serving/health.js'
import { serveMetrics } from '#server/serving/metrics.js'
import { measureDeliveries } from '#webhooks/sending/serve.js'
import { readFromRoot } from './documents.js'

const OPERATE = 'docs/operate.md'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; action: string }
}

interface Dashboard {
  panels: { id: number; title: string; gridPos: Box; targets?: { refId: string; expr: string }[] }[]
  templating: { list: { name: string; query: string | { query: string } }[] }
}

interface Box {
  x: number
  y: number
  w: number
  h: number
}

/** What Grafana needs of a dashboard to import it. */
const texts = (...names: string[]) => Object.fromEntries(names.map(name => [name, { type: 'string', minLength: 1 }]))
const object = (properties: object, ...optional: string[]) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter(name => !optional.includes(name)),
})
const list = (items: object) => ({ type: 'array', minItems: 1, items })
const whole = { type: 'integer', minimum: 0 }
const datasource = object({ type: { const: 'prometheus' }, uid: { const: `\${datasource}` } })
const target = object({ ...texts('refId', 'expr'), legendFormat: { type: 'string' }, datasource })
const DASHBOARD = object({
  ...texts('uid', 'title'),
  schemaVersion: { type: 'integer', minimum: 36 },
  templating: object({ list: list(object({ ...texts('name'), type: { enum: ['datasource', 'query'] } })) }),
  panels: list({
    ...object({
      id: { type: 'integer', minimum: 1 },
      title: { type: 'string', minLength: 1 },
      type: { enum: ['row', 'timeseries', 'stat'] },
      gridPos: object({ x: whole, y: whole, w: { type: 'integer', minimum: 1, maximum: 24 }, h: whole }),
    }),
    if: { properties: { type: { const: 'row' } } },
    else: object({ datasource, targets: list(target), fieldConfig: { type: 'object' } }),
  }),
})

/** The metrics of Foldgate that an expression reads, without the endings of histograms. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/\bfoldgate_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))

describe('the alerts and the dashboard', () => {
  let exported: Set<string>
  let rules: Rule[]
  let dashboard: Dashboard
  before(async () => {
    const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 })
    const stats = { connections: 1, ready: 1, busy: 0, waiting: 0, restarts: 0, cacheBytes: 0, resultBytes: 0 }
    metrics.watch({
      stats: () => stats,
      sockets: () => 0,
      missingSnapshots: () => 0,
      projectsOf: async ids => new Set(ids),
      longestUnchecked: async () => new Map(),
      disk: () => null,
    })
    measureDeliveries(metrics, () => null)
    watchDescriptors(createServer(), { log: { info() {}, warn() {}, error() {} }, metrics, limit: null })
    measureHealth(metrics, { ready: async () => ({}), dependencies: async () => ({}) })
    const text = await (await fetch(metrics.url)).text()
    await metrics.close()
    exported = new Set([...text.matchAll(/^# TYPE (foldgate_\w+)/gm)].map(([, name = '']) => name))
    const { groups } = parse(await readFromRoot('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }
    rules = groups.flatMap(group => group.rules)
    dashboard = JSON.parse(await readFromRoot('deploy/grafana/dashboard.json')) as Dashboard
  })

  const alerted = () => rules.flatMap(rule => metricsIn(rule.expr))
  const shown = () => dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)))

  it('read only metrics that a server exports', () => {
    const read = [...alerted(), ...shown()]
    assert.ok(exported.size > 15 && read.length > 20)
    assert.deepEqual(
      read.filter(name => !exported.has(name)),
      [],
    )
  })

  it('leave out no metric: the dashboard shows each', () => {
    const shownOnes = new Set(shown())
    assert.deepEqual(
      [...exported].filter(name => !shownOnes.has(name)),
      [],
    )
  })

  it('say in each alert what to do, in the words of the table', async () => {
    const [, table = ''] = (await readFromRoot(OPERATE)).split('## What to do when\n')
    const actions = new Set(table.split('\n').map(line => line.split(' | ').at(-1)?.replace(/ \|$/, '')))
    assert.deepEqual(
      rules.filter(({ annotations }) => !actions.has(annotations.action)),
      [],
    )
    for (const { alert, labels, annotations } of rules) {
      assert.match(alert, /^Foldgate[A-Z]/)
      assert.match(labels.severity, /^(critical|warning|info)$/, alert)
      assert.match(annotations.summary, /\.$/, alert)
    }
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  })

  it('are a dashboard that Grafana can import, with panels that do not overlap', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(DASHBOARD)
    assert.ok(validate(dashboard), JSON.stringify(validate.errors))
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
    for (const [at, { gridPos, title }] of panels.entries()) {
      assert.ok(gridPos.x + gridPos.w <= 24, title)
      for (const other of panels.slice(at + 1)) assert.ok(!overlap(gridPos, other.gridPos), `${title}, ${other.title}`)
    }
  })
})
