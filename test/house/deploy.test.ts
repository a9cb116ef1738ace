import assert from 'node:assert/strict'
import { access, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { ServiceStats } from 'foldgate'
import { parse, parseAllDocuments } from 'yaml'
import { resolveEngine } from '#lib/duckdb/settings.js'
import { RESIDENT_BYTES } from '#lib/duckdb/workers.js'
import { AnalyticsError } from '#lib/errors.js'
import { respondError } from '#lib/http/respond.js'
import { createProgram } from '#server/cli/program.js'
import { watchDescriptors } from '#server/serving/descriptors.js'
import { measureHealth } from '#server/serving/health.js'
import { serveMetrics } from '#server/serving/metrics.js'
import { readConfig } from '#server/settings/config.js'
import { ALL_SETTINGS } from '#server/settings/flags.js'
import { duration, size } from '#server/settings/parsers.js'
import { measureDeliveries } from '#webhooks/sending/serve.js'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFile(at(path), 'utf8')
const MIB = 1024 ** 2
const GIB = 1024 * MIB
const NODE_BYTES = 80 * MIB
/** Where compose and Kubernetes put the limits of deploy/limits.json. */
const IN_CONTAINER = '/etc/foldgate/limits.json'
const LIMITS_FILE = fileURLToPath(new URL('../../deploy/limits.json', import.meta.url))
const GUARDS = 2
const GUARD_BYTES = 768 * MIB
const SERVER_BYTES = 256 * MIB
const SPARE_BYTES = 32 * MIB
const RESULT_BYTES = 2 * GIB
/** Of a command that runs in the container of a server. */
const COMMAND_BYTES = 2 * GIB

const IDLE: ServiceStats = {
  connections: 1,
  ready: 1,
  busy: 0,
  waiting: 0,
  restarts: 0,
  cacheBytes: 0,
  resultBytes: 0,
}

interface Compose {
  services: Record<string, ComposeService>
}

interface ComposeService {
  environment: Record<string, string>
  stop_grace_period: string
  mem_limit: string
  logging?: { driver: string; options: Record<string, string> }
}

interface Kustomization {
  configMapGenerator: { name: string; literals?: string[] }[]
}

interface StatefulSetSpec {
  template: { spec: PodSpec }
  volumeClaimTemplates: { spec: { resources: { requests: { storage: string } } } }[]
}

interface PodSpec {
  enableServiceLinks: boolean
  terminationGracePeriodSeconds: number
  containers: {
    env: { name: string; value?: string }[]
    resources: Record<'requests' | 'limits', Record<string, string>>
  }[]
}

/** Reads the configuration of a deployment. Each of its FOLDGATE_ variables must be a setting. */
function configOf(environment: Readonly<Record<string, string>>) {
  const ours = Object.keys(environment).filter(name => name.startsWith('FOLDGATE_'))
  const known = new Set(ALL_SETTINGS.map(setting => setting.variable))
  assert.deepEqual(
    ours.filter(name => !known.has(name)),
    [],
  )
  const { FOLDGATE_LIMITS: limits, ...others } = environment
  assert.equal(limits ?? IN_CONTAINER, IN_CONTAINER)
  return readConfig(limits === undefined ? {} : { limits: LIMITS_FILE }, others)
}

/** The memory and the disk that a server may use, as "Sizing" in docs/operate.md says. */
function sizesOf({ spares, copiesBytes, limits, ...config }: ReturnType<typeof configOf>) {
  const { connections, residents } = config
  const memoryLimitBytes = config.memoryLimitBytes ?? Number.NaN
  const running = (connections ?? Number.NaN) + 1
  const idle = Math.max(0, (residents ?? Number.NaN) - running)
  const { cacheBytes, spillBytes } = resolveEngine({ folder: 'engine', memoryLimitBytes })
  const workers = running * (memoryLimitBytes + NODE_BYTES) + idle * RESIDENT_BYTES + spares * SPARE_BYTES
  return {
    memory: workers + GUARDS * (GUARD_BYTES + NODE_BYTES) + SERVER_BYTES + limits.unsentBytes,
    engine: cacheBytes + RESULT_BYTES + running * (spillBytes + limits.exportBytes),
    copies: copiesBytes,
  }
}

const sizeOf = (text: string) => size().parse(text) ?? Number.NaN

const milliseconds = (text: string) => duration(Number.MAX_SAFE_INTEGER).parse(text) ?? Number.NaN

describe('the folder deploy/', () => {
  it('has a compose file with valid settings, time to drain, and memory for all processes', async () => {
    const given: Record<string, string> = { POSTGRES_PASSWORD: 'secret', FOLDGATE_SITE: 'data.example.org' }
    const text = (await read('deploy/compose.yaml')).replace(/\$\{(\w+)[^}]*\}/g, (_, name) => given[name] ?? '')
    const { services } = parse(text, { merge: true }) as Compose
    for (const name of ['foldgate-1', 'foldgate-2']) {
      const service = services[name]
      assert.ok(service)
      const config = configOf(service.environment)
      assert.deepEqual([config.baseUrl, config.proxies], ['https://data.example.org', 1])
      assert.ok(milliseconds(service.stop_grace_period) > config.drainMs + config.drainDelayMs)
      assert.ok(sizeOf(service.mem_limit.replace(/m$/, 'MiB')) >= sizesOf(config).memory + COMMAND_BYTES)
    }
  })

  it('has a StatefulSet with valid settings, time to drain, and memory for all processes', async () => {
    const given = { FOLDGATE_STORE: 'postgres://foldgate@db.example.org/foldgate' }
    const [settings] = (parse(await read('deploy/kustomization.yaml')) as Kustomization).configMapGenerator
    const literals = settings?.literals?.map(literal => literal.split('=') as [string, string]) ?? []
    const documents = parseAllDocuments(await read('deploy/kubernetes/servers.yaml')).map(each => each.toJS())
    const set = documents.find(({ kind }) => kind === 'StatefulSet').spec as StatefulSetSpec
    const { spec } = set.template
    const [container] = spec.containers
    assert.ok(container)
    const own = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))
    assert.deepEqual(
      container.env.flatMap(({ name, value }) => (value === undefined ? name : [])),
      Object.keys(given),
    )
    const config = configOf({ ...given, ...Object.fromEntries([...literals, ...own]) })
    assert.deepEqual([config.baseUrl, config.proxies], ['https://data.example.org', 1])
    assert.ok(spec.terminationGracePeriodSeconds * 1000 > config.drainMs + config.drainDelayMs)
    const { requests, limits } = container.resources
    assert.equal(requests.memory, limits.memory)
    assert.equal(Number(requests.cpu), config.connections)
    const sizes = sizesOf(config)
    assert.ok(sizeOf(`${limits.memory}B`) >= sizes.memory)
    const [volume] = set.volumeClaimTemplates
    assert.ok(sizeOf(`${volume?.spec.resources.requests.storage}B`) >= sizes.engine + sizes.copies)
    const told = [sizes.engine, sizes.engine + sizes.copies].map(bytes => `${bytes / GIB} GiB`)
    const mib = (sizes.memory / MIB).toLocaleString('en')
    const text = (await read('docs/operate.md')).replace(/\n/g, ' ')
    assert.ok(text.includes(`${mib} MiB of memory and ${told[0]} in the data folder, and ${told[1]} with a bucket`))
    // Otherwise the variables that Kubernetes makes of Services are taken for settings.
    assert.equal(spec.enableServiceLinks, false)
  })

  it('has a compose file in which no log grows without limit', async () => {
    const { services } = parse(await read('deploy/compose.yaml'), { merge: true }) as Compose
    for (const [name, { logging }] of Object.entries(services)) {
      assert.equal(logging?.driver, 'json-file', name)
      assert.match(logging?.options['max-size'] ?? '', /^\d+m$/, name)
      assert.ok(Number(logging?.options['max-file']) > 1, name)
    }
  })

  it('has proxies that pass on the longest key, wait for the longest call, and repeat none that a server has received', async () => {
    const { connectionWaitMs, buildTimeoutMs, exportTimeoutMs } = configOf({}).limits
    const longestMs = connectionWaitMs + buildTimeoutMs + 2 * exportTimeoutMs // to run it and to store its file
    const files = ['nginx.conf', 'Caddyfile', 'haproxy.cfg'].map(name => read(`deploy/${name}`))
    const [nginx = '', caddy = '', haproxy = ''] = await Promise.all(files)
    const directive = (name: string) => new RegExp(`^\\s*${name} ([^;]+);$`, 'm').exec(nginx)?.[1] ?? ''
    assert.ok(milliseconds(directive('proxy_read_timeout')) > longestMs)
    assert.equal(directive('proxy_next_upstream'), 'error timeout')
    // A GET that a server has received may be repeated, but not after a long wait.
    assert.ok(milliseconds(directive('proxy_next_upstream_timeout')) < 10_000)
    // Without these, Caddy waits as long as a server needs, and repeats only calls that were not sent, and GETs.
    assert.doesNotMatch(caddy, /^\s*(read_timeout|write_timeout|response_header_timeout|lb_retry_match)\b/m)
    for (const side of ['client', 'server'])
      assert.ok(milliseconds(new RegExp(`^\\ttimeout ${side} (.+)$`, 'm').exec(haproxy)?.[1] ?? '') > longestMs)
    assert.deepEqual(haproxy.match(/^\s*retry-on .*$/gm), ['\tretry-on conn-failure'])
    // By default, a header of nginx has 8 KiB; all headers have 15 KiB in HAProxy, and 1 MiB in Caddy.
    assert.equal(directive('large_client_header_buffers'), '4 16k')
    assert.doesNotMatch(haproxy, /tune\.(bufsize|maxrewrite)/)
  })

  it('has proxies that notice within the default delay that a server drains', async () => {
    const [caddy, haproxy] = await Promise.all([read('deploy/Caddyfile'), read('deploy/haproxy.cfg')])
    const noticed = (text: string, { interval, timeout }: Record<'interval' | 'timeout', RegExp>) =>
      milliseconds(interval.exec(text)?.[1] ?? '') + milliseconds(timeout.exec(text)?.[1] ?? '')
    // The last poll before was answered, and the answer to the next one, which is 503, may take until the timeout.
    const caddyMs = noticed(caddy, { interval: /health_interval (\w+)/, timeout: /health_timeout (\w+)/ })
    const haproxyMs = noticed(haproxy, { interval: / inter (\w+) fall 1 /, timeout: /timeout check (\w+)/ })
    assert.doesNotMatch(caddy, /health_fails/) // the first one that fails counts
    const { drainDelayMs } = configOf({ FOLDGATE_PROXIES: '1' })
    for (const ms of [caddyMs, haproxyMs]) assert.ok(ms > 0 && ms <= drainDelayMs, `${ms} ms`)
    for (const name of ['compose.yaml', 'kubernetes/servers.yaml'])
      assert.ok((await read(`deploy/${name}`)).includes(IN_CONTAINER))
    assert.doesNotMatch(await read('deploy/limits.json'), /drainDelay/)
  })

  it('has proxies that say as the servers do that the service is UNAVAILABLE', async () => {
    const message = 'The service cannot answer now. Try again later.'
    const { headers, body } = respondError(new AnalyticsError('UNAVAILABLE', message))
    for (const name of ['nginx.conf', 'Caddyfile', 'haproxy.cfg']) {
      const text = await read(`deploy/${name}`)
      for (const part of [Buffer.concat(body).toString(), `Retry-After ${headers['retry-after']}`])
        assert.ok(text.includes(part), `${name} lacks ${part}`)
    }
  })

  it('has a unit with valid settings and time to drain', async () => {
    const unit = await read('deploy/foldgate.service')
    const pairs = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line]) => (line ?? '').split(' '))
    const given = Object.fromEntries(pairs.map(pair => pair.split('=') as [string, string]))
    const config = configOf({ ...given, FOLDGATE_PROXIES: '1' })
    const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    assert.ok(stopSeconds * 1000 > config.drainMs + config.drainDelayMs)
    assert.match(unit, /^KillMode=mixed$/m)
  })

  it('has a Dockerfile with valid settings that copies existing files and runs as an unprivileged user', async () => {
    const lines = (await read('deploy/Dockerfile')).split('\n')
    const pairs = lines.filter(line => line.startsWith('ENV ')).flatMap(line => line.slice(4).split(' '))
    assert.equal(configOf(Object.fromEntries(pairs.map(pair => pair.split('=') as [string, string]))).host, '0.0.0.0')
    const sent = (await read('deploy/Dockerfile.dockerignore')).split('\n').filter(line => line.startsWith('!'))
    for (const line of lines.filter(line => line.startsWith('COPY ') && !line.includes('--from')))
      for (const source of line.split(' ').slice(1, -1)) {
        await access(at(source))
        assert.ok(
          sent.some(line => `${source}/`.startsWith(`${line.slice(1)}/`)),
          `${source} is not sent to the build`,
        )
      }
    assert.equal(
      lines.findLast(line => line.startsWith('USER ')),
      'USER node',
    )
  })
})

describe('docs/operate.md', () => {
  it('lists exactly the metrics that a server exports', async () => {
    const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 })
    try {
      metrics.watch({
        stats: () => IDLE,
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
      const names = [...text.matchAll(/^# TYPE (foldgate_\w+)/gm)].map(([, name]) => name)
      const listed = [...(await read('docs/operate.md')).matchAll(/^\| `(foldgate_\w+)` \|/gm)].map(([, name]) => name)
      assert.ok(names.length > 10)
      assert.deepEqual(listed.sort(), names.sort())
    } finally {
      await metrics.close()
    }
  })

  it('names only settings and flags of commands that exist', async () => {
    const groups = (await createProgram()).commands.flatMap(group => [group, ...group.commands])
    const flags = new Set(groups.flatMap(({ options }) => options.map(({ long }) => long)))
    const text = (await read('docs/operate.md')).replace(/```sh\n[^`]*```/g, '')
    const named = [...text.matchAll(/`(--[a-z-]+)[ `]/g)].map(([, flag]) => flag ?? '')
    assert.ok(named.length > 5)
    assert.deepEqual(
      named.filter(flag => !flags.has(flag)),
      [],
    )
  })
})
