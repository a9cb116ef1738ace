import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS } from 'foldgate'
import { readConfig } from '#server/settings/config.js'
import { ALL_SETTINGS } from '#server/settings/flags.js'
import { ALL_LIMITS, type GivenLimits } from '#server/settings/limits.js'
import { quotaLimits } from '#server/store/quota.js'
import { blocksOf } from '../house/documents.js'
import { scratchFolder } from './command.js'

const limited = (given: GivenLimits) => readConfig({}, {}, given)

describe('the configuration', () => {
  const scratch = scratchFolder()

  it('has the values of the contract when nothing is set', () => {
    const { limits, read, written, ...config } = readConfig({}, {})
    assert.deepEqual(config, {
      data: './foldgate-data',
      store: null,
      shared: null,
      catalogue: null,
      host: '127.0.0.1',
      port: 8080,
      baseUrl: null,
      compression: true,
      corsOrigin: null,
      proxies: 0,
      connections: null,
      residents: null,
      spares: 4,
      sandbox: 'auto',
      memoryLimitBytes: null,
      functions: null,
      tokens: null,
      quota: { calls: 600, windowMs: 60_000 },
      quotaOwner: null,
      quotaOrganization: 0,
      callsAtOnce: 0,
      budgetWindowMs: 3_600_000,
      budgetEngineMs: 0,
      budgetExportRows: 0,
      budgetExportBytes: 0,
      slowMs: 5_000,
      exportRetentionMs: 86_400_000,
      keepAliveMs: 65_000,
      keepSnapshots: null,
      copiesBytes: 20 * 1024 ** 3,
      logSql: false,
      trino: null,
      trinoLocation: null,
      auditDays: 365,
      auditLog: null,
      usageDays: 92,
      usageMonths: 24,
      metricsHost: '127.0.0.1',
      metricsPort: null,
      drainMs: 30_000,
      drainDelayMs: 0,
    })
    assert.deepEqual(limits, Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.default])))
  })

  it('prefers a flag to the environment, and the environment to the default', () => {
    const environment = { FOLDGATE_PROXIES: '2', FOLDGATE_PORT: '1', FOLDGATE_HOST: '' }
    const config = readConfig({ port: '2' }, environment)
    assert.deepEqual([config.port, config.proxies, config.host], [2, 2, '127.0.0.1'])
  })

  it('has about twenty flags, each with a variable, and every limit in a file', () => {
    const flags =
      'data store shared catalogue host port base-url cors-origin proxies compression functions tokens trino trino-location ' +
      'sandbox log-sql audit-log metrics-host metrics-port limits'
    assert.deepEqual(
      ALL_SETTINGS.map(({ flag }) => flag),
      flags.split(' '),
    )
    for (const { flag, variable } of ALL_SETTINGS)
      assert.equal(variable, `FOLDGATE_${flag.replaceAll('-', '_').toUpperCase()}`)
    const limits =
      'connections residents spares memoryLimit quota quotaOwner quotaOrganization callsAtOnce budgetWindow ' +
      'budgetEngineTime budgetExportRows budgetExportBytes slow usageDays usageMonths ' +
      'auditDays exportRetention keepSnapshots snapshotCopies keepAlive drain drainDelay'
    const names = [...limits.split(' '), ...Object.keys(LIMITS).map(name => name.replace(/Ms$/, ''))]
    assert.deepEqual(
      ALL_LIMITS.map(({ name }) => name),
      names,
    )
  })

  const accepted: [string, string | number, unknown][] = [
    ['pageBytes', '4MiB', 4 * 1024 ** 2],
    ['pageBytes', '512KiB', 512 * 1024],
    ['pageBytes', '1000', 1000],
    ['pageBytes', 1000, 1000],
    ['queryTimeout', '500ms', 500],
    ['queryTimeout', '2h', 7_200_000],
    ['linkMemory', '30d', 30 * 86_400_000],
  ]
  for (const [name, given, value] of accepted) {
    it(`reads ${name} ${JSON.stringify(given)}`, () => {
      assert.ok(Object.values(limited({ [name]: given }).limits).includes(value as number))
    })
  }

  it('reads a quota, a base URL and optional settings', () => {
    const limits = { quota: '5/500ms', connections: 3, keepSnapshots: 2 }
    const { quota, baseUrl, connections, keepSnapshots } = readConfig(
      { 'base-url': 'https://Data.example.org/' },
      {},
      limits,
    )
    assert.deepEqual(quota, { calls: 5, windowMs: 500 })
    assert.deepEqual([baseUrl, connections, keepSnapshots], ['https://data.example.org', 3, 2])
  })

  it('gives an owner ten times the quota of a key, unless told otherwise', () => {
    const limits = (others: Record<string, string>) => quotaLimits(limited({ quota: '5/1s', ...others }))
    const key = { calls: 5, windowMs: 1000 }
    assert.deepEqual(limits({}), { ...key, callsPerOwner: 50 })
    assert.deepEqual(limits({ quotaOwner: '7', quotaOrganization: '90' }), {
      ...key,
      ...{ callsPerOwner: 7, callsPerOrganization: 90 },
    })
    assert.deepEqual(limits({ quotaOwner: 'off', quotaOrganization: 'off' }), key)
  })

  it('reads the settings for operation', () => {
    const flags = { proxies: '2', 'log-sql': 'on', 'metrics-port': '0' }
    const limits = { drain: '2m', drainDelay: '0s' }
    const { proxies, logSql, metricsPort, drainMs, drainDelayMs } = readConfig(flags, {}, limits)
    assert.deepEqual([proxies, logSql, metricsPort, drainMs, drainDelayMs], [2, true, 0, 120_000, 0])
    assert.equal(readConfig({ proxies: '2' }, {}).drainDelayMs, 5000)
  })

  it('reads the functions that are added', () => {
    const read = (text: string) => readConfig({ functions: text }, {}).functions
    assert.deepEqual(read('decode, JSON_PRETTY'), ['decode', 'json_pretty'])
    for (const wrong of ['median', 'struct_keys', 'read_csv', 'decode,'])
      assert.throws(
        () => read(wrong),
        /^Refusal: --functions cannot be .*: give a list of names .*out of struct_/,
        wrong,
      )
  })

  it('keeps an exported file for as long as its link is valid', () => {
    assert.throws(
      () => limited({ exportRetention: '14m' }),
      /^Refusal: exportRetention \(14m\) must be at least linkValidity \(15m\)/,
    )
    const config = limited({ exportRetention: '1m', linkValidity: '1m' })
    assert.deepEqual([config.exportRetentionMs, config.limits.linkValidityMs], [60_000, 60_000])
  })

  it('leaves room for an export', () => {
    assert.throws(
      () => limited({ exportBytes: '30GiB' }),
      /^Refusal: exportBytesPerOwner \(20GiB\) must be at least exportBytes \(30GiB\)/,
    )
    const { limits } = limited({ exportBytesPerOrganization: '1GiB', exportBytesPerOwner: '2GiB' })
    assert.deepEqual([limits.exportBytesPerOwner, limits.exportBytesPerOrganization], [2 * 1024 ** 3, 1024 ** 3])
  })

  it('reads the allowed origins, or * for any', () => {
    const read = (text: string) => readConfig({ 'cors-origin': text }, {}).corsOrigin
    assert.deepEqual(read('https://app.example.org, http://localhost:5173/'), [
      'https://app.example.org',
      'http://localhost:5173',
    ])
    assert.equal(read('*'), '*')
  })

  const refused: [string, string][] = [
    ['port', '65536'],
    ['port', '-1'],
    ['port', ''],
    ['host', 'two words'],
    ['base-url', 'data.example.org'],
    ['base-url', 'ftp://data.example.org'],
    ['base-url', 'https://data.example.org/api'],
    ['base-url', 'https://ada@data.example.org'],
    ['cors-origin', 'app.example.org'],
    ['cors-origin', 'https://app.example.org,*'],
    ['cors-origin', 'https://app.example.org,'],
    ['cors-origin', 'https://app.example.org/page'],
    ['cors-origin', 'null'],
    ['store', 'control.db'],
    ['store', 'mysql://ada@db.example.org/foldgate'],
    ['store', 'postgres://ada@:5432/foldgate'],
    ['shared', ''],
    ['shared', 's3://'],
    ['shared', 'S3:/bucket'],
    ['shared', 's3:bucket'],
    ['shared', 's3://b'],
    ['shared', 's3://bucket/a/../b'],
    ['shared', 's3://key:secret@bucket/a'],
    ['shared', 's3://bucket?versionId=1'],
    ['log-sql', 'true'],
    ['log-sql', ''],
    ['metrics-host', ''],
    ['metrics-port', '65536'],
  ]
  for (const [flag, text] of refused) {
    it(`refuses --${flag} ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => readConfig({ [flag]: text }, {}),
        new RegExp(`^Refusal: --${flag} cannot be .*: give (an? |the path|either)`),
      )
    })
  }

  const refusedLimits: [string, unknown][] = [
    ['connections', '0'],
    ['connections', '1.5'],
    ['memoryLimit', '511MiB'],
    ['pageBytes', '0'],
    ['pageBytes', '4MB'],
    ['pageBytes', '4 MiB'],
    ['pageBytes', '1constructor'],
    ['queryTimeout', '30'],
    ['queryTimeout', '0s'],
    ['queryTimeout', '25d'],
    ['quota', '600'],
    ['quotaOwner', '0'],
    ['quotaOwner', '600/60s'],
    ['quotaOrganization', 'none'],
    ['quota', '0/60s'],
    ['quota', '600/60'],
    ['quota', '600/60s/1'],
    ['keepSnapshots', '0'],
    ['snapshotCopies', '0'],
    ['snapshotCopies', 'all'],
    ['drain', '0s'],
    ['drain', '30'],
    ['drainDelay', '25d'],
    ['connections', null],
    ['connections', [2]],
    ['queryTimeout', 30],
    ['quota', { calls: 600 }],
  ]
  for (const [name, given] of refusedLimits) {
    it(`refuses ${name} ${JSON.stringify(given)}`, () => {
      assert.throws(() => limited({ [name]: given }), new RegExp(`^Refusal: ${name} cannot be .*: give an? `))
    })
  }

  it('reads the limits that the documents have as an example', async () => {
    const [block] = (await blocksOf('docs/operate.md')).filter(({ below }) => below === 'Limits')
    const { connections, memoryLimitBytes } = limited(JSON.parse(block?.code ?? ''))
    assert.deepEqual([connections, memoryLimitBytes], [4, 2 * 1024 ** 3])
  })

  it('reads limits from a file, and says what is wrong with it', async () => {
    const file = join(scratch.path, 'limits.json')
    const read = async (text: string) => {
      await writeFile(file, text)
      return readConfig({}, { FOLDGATE_LIMITS: file })
    }
    const { connections, limits } = await read('{ "connections": 2, "queryTimeout": "1m" }')
    assert.deepEqual([connections, limits.queryTimeoutMs, limits.exportTimeoutMs], [2, 60_000, 120_000])
    const wrong = {
      '{ "queryTimeout": "soon" }': `queryTimeout in ${file} cannot be "soon": give a duration`,
      '{ "queryTimeouts": "1m" }': `"queryTimeouts" in ${file} is not a limit: did you mean queryTimeout?`,
      '{ "query-timeout": "1m" }': `"query-timeout" in ${file} is not a limit: did you mean queryTimeout?`,
      '{ "somethingElse": 1 }': `"somethingElse" in ${file} is not a limit`,
      '[]': `The limits in ${file} must be a JSON object such as { "queryTimeout": "30s" }`,
      'SECRET=hunter2': `The limits in ${file} are not JSON`,
      '{ "exportRetention": "1m" }': `exportRetention in ${file} (1m) must be at least linkValidity`,
    }
    for (const [text, message] of Object.entries(wrong))
      await assert.rejects(read(text), (error: Error) => {
        const isTold = error.name === 'Refusal' && error.message.startsWith(message)
        return isTold && !error.message.includes('hunter2')
      })
    assert.equal((await read('\uFEFF{ "connections": 3 }')).connections, 3)
    assert.throws(
      () => readConfig({ limits: scratch.path }, {}),
      /^Refusal: The limits in \S+ cannot be read: it is not a file/,
    )
    const missing = join(scratch.path, 'none.json')
    assert.throws(() => readConfig({ limits: missing }, {}), /^Refusal: The limits in \S+ cannot be read: ENOENT/)
  })

  it('reads the URL of a PostgreSQL database, and repeats none in a message, since it may contain a password', () => {
    const store = 'postgresql://ada:pass%20word@db.example.org/foldgate?sslmode=verify-full'
    assert.equal(readConfig({}, { FOLDGATE_STORE: store }).store, store)
    assert.throws(
      () => readConfig({}, { FOLDGATE_STORE: 'postgres://ada:hunter2@[db]/foldgate' }),
      (error: Error) =>
        /^FOLDGATE_STORE cannot be used as it is: give a Postgre/.test(error.message) && !/hunter2/.test(error.message),
    )
  })

  it('names the variable if its value is wrong', () => {
    assert.throws(() => readConfig({}, { FOLDGATE_PROXIES: 'many' }), /FOLDGATE_PROXIES cannot be "many": give a whole/)
  })
})
