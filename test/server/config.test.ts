import assert from 'node:assert/strict'
import { LIMITS } from 'foldgate'
import { readConfig } from '#server/settings/config.js'
import { ALL_SETTINGS } from '#server/settings/flags.js'
import { quotaLimits } from '#server/store/quota.js'

describe('the configuration', () => {
  it('has the values of the contract when nothing is set', () => {
    const { limits, ...config } = readConfig({}, {})
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
      memoryLimitBytes: 1024 ** 3,
      functions: null,
      quota: { calls: 600, windowMs: 60_000 },
      quotaOwner: null,
      quotaOrganization: 0,
      exportRetentionMs: 86_400_000,
      keepAliveMs: 65_000,
      keepSnapshots: null,
      copiesBytes: 20 * 1024 ** 3,
      logSql: false,
      trino: null,
      trinoLocation: null,
      usageDays: 92,
      usageMonths: 24,
      webhookAllow: null,
      metricsHost: '127.0.0.1',
      metricsPort: null,
      drainMs: 30_000,
      drainDelayMs: 0,
    })
    assert.deepEqual(limits, Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.default])))
  })

  it('prefers a flag to the environment, and the environment to the default', () => {
    const environment = { FOLDGATE_QUERY_TIMEOUT: '1m', FOLDGATE_PORT: '1', FOLDGATE_HOST: '' }
    const config = readConfig({ port: '2' }, environment)
    assert.deepEqual([config.port, config.limits.queryTimeoutMs, config.host], [2, 60_000, '127.0.0.1'])
  })

  it('has a flag and a variable for every limit', () => {
    const flags = ALL_SETTINGS.map(setting => setting.flag)
    const expected =
      'data store shared host port base-url cors-origin proxies connections residents spares memory-limit quota quota-owner quota-organization export-retention ' +
      'keep-snapshots snapshot-copies functions trino trino-location log-sql webhook-allow metrics-host metrics-port drain drain-delay query-timeout ' +
      'export-timeout build-timeout connection-wait page-bytes row-bytes export-bytes export-bytes-per-owner export-bytes-per-organization body-bytes link-validity link-memory'
    for (const flag of expected.split(' ')) assert.ok(flags.includes(flag), flag)
    for (const { flag, variable } of ALL_SETTINGS)
      assert.equal(variable, `FOLDGATE_${flag.replaceAll('-', '_').toUpperCase()}`)
  })

  const accepted: [string, string, unknown][] = [
    ['page-bytes', '4MiB', 4 * 1024 ** 2],
    ['page-bytes', '512KiB', 512 * 1024],
    ['page-bytes', '1000', 1000],
    ['query-timeout', '500ms', 500],
    ['query-timeout', '2h', 7_200_000],
    ['link-memory', '30d', 30 * 86_400_000],
  ]
  for (const [flag, text, value] of accepted) {
    it(`reads --${flag} ${text}`, () => {
      assert.ok(Object.values(readConfig({ [flag]: text }, {}).limits).includes(value as number))
    })
  }

  it('reads a quota, a base URL and optional settings', () => {
    const flags = { quota: '5/500ms', 'base-url': 'https://Data.example.org/', connections: '3', 'keep-snapshots': '2' }
    const { quota, baseUrl, connections, keepSnapshots } = readConfig(flags, {})
    assert.deepEqual(quota, { calls: 5, windowMs: 500 })
    assert.deepEqual([baseUrl, connections, keepSnapshots], ['https://data.example.org', 3, 2])
  })

  it('gives an owner ten times the quota of a key, unless told otherwise', () => {
    const limits = (flags: Record<string, string>) => quotaLimits(readConfig({ quota: '5/1s', ...flags }, {}))
    const key = { calls: 5, windowMs: 1000 }
    assert.deepEqual(limits({}), { ...key, callsPerOwner: 50 })
    assert.deepEqual(limits({ 'quota-owner': '7', 'quota-organization': '90' }), {
      ...key,
      ...{ callsPerOwner: 7, callsPerOrganization: 90 },
    })
    assert.deepEqual(limits({ 'quota-owner': 'off', 'quota-organization': 'off' }), key)
  })

  it('reads the settings for operation', () => {
    const flags = { proxies: '2', 'log-sql': 'on', 'metrics-port': '0', drain: '2m', 'drain-delay': '0s' }
    const { proxies, logSql, metricsPort, drainMs, drainDelayMs } = readConfig(flags, {})
    assert.deepEqual([proxies, logSql, metricsPort, drainMs, drainDelayMs], [2, true, 0, 120_000, 0])
    assert.equal(readConfig({ proxies: '2' }, {}).drainDelayMs, 5000)
  })

  it('reads the addresses that webhooks may reach', () => {
    const read = (text: string) => readConfig({ 'webhook-allow': text }, {}).webhookAllow
    assert.deepEqual(read('10.1.0.0/16, fd00::/8,192.168.7.4'), ['10.1.0.0/16', 'fd00::/8', '192.168.7.4'])
    for (const wrong of ['10.1', '10.1.0.0/33', 'fd00::/129', 'example.org', '10.1.0.0/16,', 'fe80::1%eth0', '::1/'])
      assert.throws(() => read(wrong), /^Refusal: --webhook-allow cannot be .*: give a list of addresses/, wrong)
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
      () => readConfig({ 'export-retention': '14m' }, {}),
      /^Refusal: --export-retention \(14m\) must be at least --link-validity \(15m\)/,
    )
    const config = readConfig({ 'export-retention': '1m', 'link-validity': '1m' }, {})
    assert.deepEqual([config.exportRetentionMs, config.limits.linkValidityMs], [60_000, 60_000])
  })

  it('leaves room for an export', () => {
    assert.throws(
      () => readConfig({ 'export-bytes': '30GiB' }, {}),
      /^Refusal: --export-bytes-per-owner \(20GiB\) must be at least --export-bytes \(30GiB\)/,
    )
    const { limits } = readConfig({ 'export-bytes-per-organization': '1GiB', 'export-bytes-per-owner': '2GiB' }, {})
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
    ['connections', '0'],
    ['connections', '1.5'],
    ['memory-limit', '511MiB'],
    ['page-bytes', '0'],
    ['page-bytes', '4MB'],
    ['page-bytes', '4 MiB'],
    ['page-bytes', '1constructor'],
    ['query-timeout', '30'],
    ['query-timeout', '0s'],
    ['query-timeout', '25d'],
    ['quota', '600'],
    ['quota-owner', '0'],
    ['quota-owner', '600/60s'],
    ['quota-organization', 'none'],
    ['quota', '0/60s'],
    ['quota', '600/60'],
    ['quota', '600/60s/1'],
    ['base-url', 'data.example.org'],
    ['base-url', 'ftp://data.example.org'],
    ['base-url', 'https://data.example.org/api'],
    ['base-url', 'https://ada@data.example.org'],
    ['cors-origin', 'app.example.org'],
    ['cors-origin', 'https://app.example.org,*'],
    ['cors-origin', 'https://app.example.org,'],
    ['cors-origin', 'https://app.example.org/page'],
    ['cors-origin', 'null'],
    ['keep-snapshots', '0'],
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
    ['snapshot-copies', '0'],
    ['snapshot-copies', 'all'],
    ['log-sql', 'true'],
    ['log-sql', ''],
    ['metrics-host', ''],
    ['metrics-port', '65536'],
    ['drain', '0s'],
    ['drain', '30'],
    ['drain-delay', '25d'],
  ]
  for (const [flag, text] of refused) {
    it(`refuses --${flag} ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => readConfig({ [flag]: text }, {}),
        new RegExp(`^Refusal: --${flag} cannot be .*: give (an? |the path|either)`),
      )
    })
  }

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
    assert.throws(() => readConfig({}, { FOLDGATE_QUOTA: 'many' }), /FOLDGATE_QUOTA cannot be "many": give a number/)
  })
})
