import {
  addedFunctions,
  database,
  file,
  folder,
  folderOrBucket,
  host,
  location,
  onOrOff,
  origin,
  origins,
  sandboxMode,
  trino,
  whole,
} from './parsers.js'
import { type Setting, setting } from './setting.js'

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
export const LIMITS_SETTING = setting(
  'limits',
  file,
  'JSON file with limits, such as { "queryTimeout": "30s" }; each has a default, listed below.',
)

/** Of the server; a command that seals or compares takes its variable. */
export const SANDBOX_SETTING = setting(
  'sandbox',
  sandboxMode,
  'Walls of the operating system around processes that run SQL or read packages: see foldgate doctor.',
  'auto',
)

/** The port of the server and of the demo. */
export const PORT_SETTING = setting(
  'port',
  whole(0, 65_535),
  'Port to listen on; 0 picks a free one.',
  '8080',
)

/** The settings of `serve`. */
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
  functions: setting(
    'functions',
    addedFunctions,
    'Functions, separated by commas, that queries may call in addition to the default ones.',
  ),
  tokens: setting(
    'tokens',
    file,
    'JSON file that says which signed tokens (JWT) are keys, too, and what their claims allow. Default: none are.',
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
  sandbox: SANDBOX_SETTING,
  logSql: setting('log-sql', onOrOff, 'Log the SQL of callers with their calls.', 'off'),
  auditLog: setting(
    'audit-log',
    file,
    'File to append the records of the audit to, as lines of JSON; - for standard output. Default: none.',
  ),
  metricsHost: setting('metrics-host', host, 'Address to serve metrics on.', '127.0.0.1'),
  metricsPort: setting(
    'metrics-port',
    whole(0, 65_535),
    'Port to serve Prometheus metrics on; 0 picks a free one. Default: none.',
  ),
  limitsFile: LIMITS_SETTING,
}

/** All settings of `serve`, in the order of its help. */
export const ALL_SETTINGS: readonly Setting[] = Object.values(SETTINGS)
