import { resolve } from 'node:path'
import type { DuckdbEngine, QueryExample } from 'foldgate'
import type { OpenEngine } from 'foldgate/engine'
import type { TrinoAuth } from './protocol/client.js'
import type { SharedFolder, SnapshotPlace } from './relations/shared-files.js'

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
  /** Folder that this service, its siblings and the cluster share. */
  shared: SharedFolder
  /**
   * Where the cluster finds the files of a sealed snapshot. Default: `local://` and the path where the
   * service does.
   */
  snapshotLocation?: (place: SnapshotPlace) => string
  /** SQL of folds in Trino's words, by name. Default: the folds' own. */
  folds?: Readonly<Record<string, string>>
  /** Worked queries in Trino's words, for `projects/describe`. Default: those of the catalogue. */
  examples?: readonly QueryExample[]
  /** Most statements of this service that run at once. The others take turns by organization. Default: 16. */
  connections?: number
  /**
   * Schemas that no service has used for this long are removed, in milliseconds. Default: 86,400,000 (1 day).
   */
  idleMs?: number
}

const DAY_MS = 86_400_000

/** The options with their defaults. Throws a TypeError that names the one that is wrong. */
export function resolveTrino(options: TrinoEngineOptions) {
  const url = URL.canParse(options.url) ? new URL(options.url) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search)
    throw new TypeError(
      'trino.url must be an http or https URL without credentials, such as https://trino.example:8443',
    )
  if (options.auth && url.protocol !== 'https:')
    throw new TypeError('trino.url must be https: Trino takes no password and no token over http')
  const { user = 'foldgate', catalog, prefix = '', folder, shared } = options
  const required = {
    user,
    catalog,
    folder,
    'shared.folder': shared?.folder,
    'shared.location': shared?.location,
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
    shared: { folder: resolve(shared.folder), location: shared.location.replace(/\/$/, '') },
    duckdb: options.duckdb,
    snapshotLocation: options.snapshotLocation ?? (({ folder: path }: SnapshotPlace) => `local://${path}`),
    folds: options.folds ?? {},
    examples: options.examples,
  }
}
