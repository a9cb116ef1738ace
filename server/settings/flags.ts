import { LIMITS, type Limits } from 'foldgate'
import {
  addedFunctions,
  callsOrOff,
  database,
  duration,
  file,
  folder,
  folderOrBucket,
  host,
  LONGEST_KEEPING_MS,
  LONGEST_WAIT_MS,
  location,
  networks,
  onOrOff,
  origin,
  origins,
  type Parser,
  quota,
  sandboxMode,
  size,
  trino,
  whole,
  writeDuration,
  writeSize,
} from './parsers.js'
import { type Setting, setting } from './setting.js'

/** What local copies of snapshots in a bucket may take by default: 20 GiB. */
export const COPIES_BYTES = 20 * 1024 ** 3

/** The engine needs at least this much (see `EngineOptions`). */
const LEAST_MEMORY_BYTES = 512 * 1024 * 1024
/** The page of keys shows the usage of 30 days, day by day. */
const LEAST_USAGE_DAYS = 30

/** The settings that say where data is stored. Every command but `demo` takes them. */
export const PLACE_SETTINGS = {
  data: setting('data', folder, 'Data folder; created if missing.', './foldgate-data'),
  store: setting(
    'store',
    database,
    'PostgreSQL database to keep the control store in. Default: a file in the data folder.',
  ),
  shared: setting(
    'shared',
    folderOrBucket,
    'Folder, or s3://bucket/prefix, for snapshots and exports, common to all servers. Default: the data folder.',
  ),
}

/** Of the server and of commands that seal; other commands take its variable. */
export const CATALOGUE_SETTING = setting(
  'catalogue',
  file,
  'ES module whose default export is the catalogue. Default: the reference catalogue.',
)

/** Of the command that seals. Its variable keeps a password out of the list of processes. */
export const FROM_SETTING = setting(
  'from',
  database,
  'PostgreSQL database with a table or view for each table of the catalogue, instead of a folder.',
)

/** Of the server; a command that reads snapshots takes its variable. */
export const COPIES_SETTING = setting(
  'snapshot-copies',
  size(),
  'Disk space for local copies of the snapshots that are read, when they are in S3.',
  writeSize(COPIES_BYTES),
)

/** Of the server; a command that seals or compares takes its variable. */
export const SANDBOX_SETTING = setting(
  'sandbox',
  sandboxMode,
  'Walls of the operating system around processes that run SQL or read packages: see foldgate sandbox.',
  'auto',
)

/** The port of the server and of the demo. */
export const PORT_SETTING = setting(
  'port',
  whole(0, 65_535),
  'Port to listen on; 0 picks a free one.',
  '8080',
)

/** Of the server, and of the command that adds a webhook. */
export const WEBHOOK_ALLOW_SETTING = setting(
  'webhook-allow',
  networks,
  'Addresses and ranges, separated by commas, that webhooks may reach besides the internet, over http too.',
)

/** The settings of `serve` other than the limits of the library. */
export const SETTINGS = {
  ...PLACE_SETTINGS,
  catalogue: CATALOGUE_SETTING,
  host: setting('host', host, 'Address to listen on.', '127.0.0.1'),
  port: PORT_SETTING,
  baseUrl: setting(
    'base-url',
    origin,
    'Origin at which callers reach the server. Default: where it listens.',
  ),
  corsOrigin: setting(
    'cors-origin',
    origins,
    'Origins, separated by commas, whose pages may call from a browser; * for any. Default: only its own.',
  ),
  proxies: setting(
    'proxies',
    whole(0, 9),
    'Number of trusted proxies in front, for X-Forwarded-For and X-Request-Id; 0 ignores both headers.',
    '0',
  ),
  compression: setting('compression', onOrOff, 'Compress JSON answers for clients that accept it.', 'on'),
  keepAliveMs: setting(
    'keep-alive',
    duration(3_600_000, 1000),
    'How long an idle connection stays open; longer than proxies in front keep theirs.',
    '65s',
  ),
  connections: setting(
    'connections',
    whole(1, 1024),
    'Queries that run at once. Default: CPU cores, at least 2.',
  ),
  residents: setting(
    'residents',
    whole(1, 1024),
    'Engine processes kept, each for one organization. Default: a quarter of memory at 128 MiB each, at most 64.',
  ),
  spares: setting(
    'spares',
    whole(1, 64),
    'Engine processes started in advance for organizations that have none.',
    '4',
  ),
  memoryLimitBytes: setting(
    'memory-limit',
    size(LEAST_MEMORY_BYTES),
    'Memory one engine process may use.',
    '1GiB',
  ),
  functions: setting(
    'functions',
    addedFunctions,
    'Functions, separated by commas, that queries may call in addition to the default ones.',
  ),
  trino: setting(
    'trino',
    trino,
    'Experimental: Trino for the projects that "foldgate project engine" gives it, with its catalog. Default: none.',
  ),
  trinoLocation: setting(
    'trino-location',
    location,
    'URL by which that Trino knows the shared folder or bucket. Default: local:// and the path of the folder, or the URL of the bucket.',
  ),
  quota: setting(
    'quota',
    quota,
    'Calls per key in each window; further calls are answered RATE_LIMITED.',
    '600/60s',
  ),
  quotaOwner: setting(
    'quota-owner',
    callsOrOff,
    'Calls of all keys of a user together in the window of --quota. Default: ten times those of a key.',
  ),
  quotaOrganization: setting(
    'quota-organization',
    callsOrOff,
    'Calls of all keys that read an organization together in the window of --quota.',
    'off',
  ),
  usageDays: setting(
    'usage-days',
    whole(LEAST_USAGE_DAYS, 3650),
    'Days of usage kept day by day, today included; older usage is kept by month.',
    '92',
  ),
  usageMonths: setting(
    'usage-months',
    whole(1, 1200),
    'Months of usage kept before the current one; older usage is removed.',
    '24',
  ),
  exportRetentionMs: setting(
    'export-retention',
    duration(LONGEST_KEEPING_MS),
    'How long an exported file is kept.',
    '1d',
  ),
  keepSnapshots: setting(
    'keep-snapshots',
    whole(1, 999_999_999),
    'Sealed snapshots kept per project; older ones are removed. Default: all.',
  ),
  copiesBytes: COPIES_SETTING,
  sandbox: SANDBOX_SETTING,
  logSql: setting('log-sql', onOrOff, 'Log the SQL of callers with their calls.', 'off'),
  webhookAllow: WEBHOOK_ALLOW_SETTING,
  metricsHost: setting('metrics-host', host, 'Address to serve metrics on.', '127.0.0.1'),
  metricsPort: setting(
    'metrics-port',
    whole(0, 65_535),
    'Port to serve Prometheus metrics on; 0 picks a free one. Default: none.',
  ),
  drainMs: setting(
    'drain',
    duration(LONGEST_WAIT_MS),
    'How long calls in flight may continue after SIGTERM or Ctrl-C; then they are cut off.',
    '30s',
  ),
  drainDelayMs: setting(
    'drain-delay',
    duration(LONGEST_WAIT_MS, 0),
    'How long /ready answers 503 before the server stops taking calls, for a proxy to notice. ' +
      'Default: 5s with --proxies, else 0s.',
  ),
}

/**
 * The limits of the library: `queryTimeoutMs` is the flag `--query-timeout`, `pageBytes` is `--page-bytes`.
 */
export const LIMIT_SETTINGS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => {
    const flag = name.replace(/Ms$/, '').replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    return [name, setting(flag, parserOf(name), limit.effect, written(name, limit.default))]
  }),
) as Record<keyof Limits, Setting<number>>

function parserOf(limit: string): Parser<number> {
  if (limit.includes('Bytes')) return size()
  return duration(/(Timeout|Wait)Ms$/.test(limit) ? LONGEST_WAIT_MS : LONGEST_KEEPING_MS)
}

function written(limit: string, value: number): string {
  return limit.includes('Bytes') ? writeSize(value) : writeDuration(value)
}

/** All settings of `serve`, in the order of its help. */
export const ALL_SETTINGS: readonly Setting[] = [...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)]
