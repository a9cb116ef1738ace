import { resolve } from 'node:path'
import type { QueryExample } from 'foldgate'
import type { OpenEngine } from 'foldgate/engine'
import type { DuckdbEngine } from 'foldgate/internal'
import { checkOptions } from 'foldgate/internal'
import type { TrinoAuth } from './protocol/client.js'
import * as places from './relations/shared-places.js'

/** Options of `trinoEngine`. */
export interface TrinoEngineOptions {
  /**
   * URL of the coordinator: `https://trino.example:8443`. Without `auth`, anybody who reaches it is any user.
   */
  url: string
  /**
   * The service's own user, which makes schemas, and runs queries as the users of points of view. Default:
   * `foldgate`.
   */
  user?: string
  /** Its password or JWT, which the coordinator takes over TLS only. Default: none. */
  auth?: TrinoAuth
  /** Iceberg catalog that the service has for itself. */
  catalog: string
  /**
   * Begins the names of schemas and users that the service makes: lower-case letters, digits and _. Default:
   * none.
   */
  prefix?: string
  /** Walks the ownership tree and writes the files of exports: `duckdbEngine({ folder: 'data/engine' })`. */
  duckdb: OpenEngine<DuckdbEngine>
  /** Folder of this service for rows and exports under way, created when missing. Services may share it. */
  folder: string
  /**
   * What this service, its siblings and the cluster share: a folder, or the bucket of the snapshots, as
   * `s3ClusterFiles` of `foldgate-s3` makes it.
   */
  shared: places.SharedFolder | places.SharedBucket
  /**
   * Where the cluster finds the files of a sealed snapshot, unless they are in a bucket. Default: `local://` and
   * the path where the service does.
   */
  snapshotLocation?: (place: places.SnapshotPlace) => string
  /** SQL of folds in Trino's words, by name. Default: the folds' own. */
  folds?: Readonly<Record<string, string>>
  /** Worked queries in Trino's words, for `projects/describe`. Default: the worked queries of the catalogue. */
  examples?: readonly QueryExample[]
  /** Most statements of this service that run at once. The others take turns by organization. Default: 16. */
  connections?: number
  /**
   * Schemas that no service has used for this long are removed, in milliseconds. Default: 86,400,000 (1 day).
   */
  idleMs?: number
}

const DAY_MS = 86_400_000

const OPTIONS: Readonly<Record<keyof TrinoEngineOptions, true>> = {
  url: true,
  user: true,
  auth: true,
  catalog: true,
  prefix: true,
  duckdb: true,
  folder: true,
  shared: true,
  snapshotLocation: true,
  folds: true,
  examples: true,
  connections: true,
  idleMs: true,
}

/** The options with their defaults. Throws a TypeError that names the one that is wrong. */
export function resolveTrino(options: TrinoEngineOptions) {
  checkOptions('trinoEngine', options, OPTIONS)
  const url = URL.canParse(options.url) ? new URL(options.url) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search)
    throw new TypeError(
      'trino.url must be an http or https URL without credentials, such as https://trino.example:8443',
    )
  if (options.auth && url.protocol !== 'https:')
    throw new TypeError('trino.url must be https: Trino takes no password and no token over http')
  const { user = 'foldgate', catalog, prefix = '', folder, shared } = options
  const { snapshotLocation = place => `local://${place.folder}` } = options
  const required = {
    user,
    catalog,
    folder,
    'shared.location': shared?.location,
    'shared.folder': shared && 'put' in shared ? 'none' : shared?.folder,
  }
  for (const [name, value] of Object.entries(required)) {
    if (typeof value !== 'string' || !value || /[\r\n]/.test(value))
      throw new TypeError(`trino.${name} must be a string`)
  }
  if (!/^[a-z0-9_]*$/.test(prefix))
    throw new TypeError('trino.prefix may have lower-case letters, digits and _ only')
  if (typeof options.duckdb !== 'function') throw new TypeError('trino.duckdb must be duckdbEngine(…)')
  const numbers = {
    connections: options.connections ?? 16,
    idleMs: options.idleMs ?? DAY_MS,
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`trino.${name} must be a whole number above 0`)
  }
  return {
    ...numbers,
    at: { url, user, auth: options.auth, catalog },
    prefix,
    folder: resolve(folder),
    shared: 'put' in shared ? places.inBucket(shared) : places.inFolder(shared, snapshotLocation),
    duckdb: options.duckdb,
    folds: options.folds ?? {},
    examples: options.examples,
  }
}
