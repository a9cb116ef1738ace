import { statSync } from 'node:fs'
import { join } from 'node:path'
import { RecentMap } from '../../flow/recent.js'
import { fileLiteral, identifier, literal, withoutPattern } from '../../values/quote.js'
import type { EngineSettings, RelationFile, View, WorkerSettings } from '../jobs.js'
import { type Connection, DuckDBInstance, type Instance } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'
import { ALL_OFF, RULES_SETTING, rulesOff, setRules } from './optimizer.js'

/** Most files attached to an instance; beyond this, a new instance replaces it. */
const MAX_ATTACHED = 256
/** Most connections that are kept for later statements. */
const MAX_KEPT = 8

/**
 * Parts of the names with which a SELECT could leave something for the next statement: functions that change settings,
 * although the configuration is locked, or run SQL from a string; and what changes its connection, such as the state of
 * random numbers, the tables of rejected lines that reading CSV makes, or the views of {@link hideRowid}. A name stands in
 * the text as it is, since identifiers have no escapes.
 */
const LASTING =
  /able_|checkpoint|setseed|random|uuid|sample|query|execute|serialized|pragma|_logs|write_log|nextval|reject|rowid/i
/** Settings that such functions change. */
const CHANGEABLE = ['enable_logging', 'logging_storage', 'logging_level', 'allow_parser_override_extension']
// Not a prepared statement: DuckDB folds the settings into its plan as constants.
const STATE = `SELECT concat_ws(' ', ${CHANGEABLE.map(name => `current_setting(${literal(name)})`).join(', ')})`

const HELD = 'SELECT sum(memory_usage_bytes) FROM duckdb_memory()'

/** A setting that connections change later: it cannot be set for all of them. */
const STREAM_BUFFER = 'streaming_buffer_size'

/**
 * Lets a connection compute few rows ahead of their reader. Strings do not count as more than their pointers,
 * so that a megabyte, the default, can be a gigabyte.
 */
export async function streamClosely(connection: Connection): Promise<void> {
  await connection.run(`SET ${STREAM_BUFFER} = '32KB'`)
}

/**
 * Sets limits and locks the configuration, except for settings that are `changeable`: a statement can access these
 * folders and the process's own. If
 * `temp_directory` is set at creation, its size limit is not
 * enforced.
 */
export async function lockDown(
  connection: Connection,
  settings: EngineSettings,
  folders: readonly string[],
  changeable: readonly string[] = [],
): Promise<void> {
  // The engine compares paths before it resolves patterns, so a folder is allowed as it is and escaped.
  const paths = new Set([...folders, settings.own].flatMap(folder => [folder, withoutPattern(folder)]))
  const allowed = [...paths].map(path => literal(`${path}/`)).join(', ')
  const values = {
    TimeZone: literal('UTC'),
    temp_directory: literal(settings.own),
    max_temp_directory_size: literal(`${Math.floor(settings.spillBytes / 1024)}KiB`),
    max_expression_depth: '250',
    parquet_metadata_cache: 'true', // else each statement reads the metadata of stored tables again
    allowed_configs: `[${[STREAM_BUFFER, RULES_SETTING, ...changeable].map(literal).join(', ')}]`,
    [RULES_SETTING]: literal(ALL_OFF),
    allowed_directories: `[${allowed}]`,
    enable_external_access: 'false',
    lock_configuration: 'true',
  }
  // Without GLOBAL, some settings would apply to this connection alone.
  await connection.run(
    Object.entries(values)
      .map(([name, value]) => `SET GLOBAL ${name} = ${value}`)
      .join(';'),
  )
}

/** Attaches a relation; throws a `view` failure with its alias when a file is gone or damaged. */
export async function attach(connection: Connection, file: RelationFile, folder: string): Promise<void> {
  const { alias, relation, files } = file
  try {
    if (file.form === 'built') {
      await connection.run(`ATTACH ${literal(join(folder, files[0] as string))} AS ${alias} (READ_ONLY)`)
      return
    }
    await connection.run(`ATTACH ':memory:' AS ${alias}`)
    await connection.run(`CREATE VIEW ${alias}.main.${identifier(relation)} AS ${readFiles(files, folder)}`)
  } catch (cause) {
    if (file.form === 'sealed') await connection.run(`DETACH DATABASE IF EXISTS ${alias}`)
    throw new KnownFailure({ kind: 'view', text: alias, cause: String(cause) })
  }
}

/**
 * Hides from a statement, or from any, the column that the engine adds to built relations alone, by views of this
 * connection: answers do not depend on how a relation is kept. Returns the names of the views.
 */
export async function hideRowid(
  connection: Connection,
  sql: string | undefined,
  files: readonly Pick<RelationFile, 'relation' | 'alias'>[],
): Promise<string[]> {
  if (!mayNameRowid(sql)) return []
  const names = files.map(({ relation }) => identifier(relation))
  for (const [at, name] of names.entries())
    await connection.run(`CREATE TEMP VIEW ${name} AS SELECT * FROM ${files[at]?.alias}.main.${name}`)
  return names
}

function mayNameRowid(sql: string | undefined): boolean {
  return sql === undefined || /\browid\b/i.test(sql)
}

/** Reads the Parquet files of a stored table. */
export function readFiles(files: readonly string[], folder: string): string {
  const paths = files.map(file => fileLiteral(join(folder, file)))
  // Folders named `column=value` would otherwise replace that column.
  return `SELECT * FROM read_parquet([${paths.join(', ')}], hive_partitioning = false)`
}

/** Whether a statement may leave something for the next one. */
export function mayLast(sql: string): boolean {
  return LASTING.test(sql)
}

/** A DuckDB instance for the snapshots of one project: what they share is attached once. */
class ProjectInstance {
  readonly #instance: Instance
  readonly #folder: string
  /** A connection that runs no caller's statement, and the settings that it must find after each one. */
  readonly #watch: { connection: Connection; untouched: string }
  /** Paths of the attached files by alias, and their inodes. */
  readonly #attached = new Map<string, { path: string; inode: bigint | undefined }[]>()
  /** When the folder had changed, as last looked. */
  #changedAt = 0n
  /** Bytes that it held when last measured. */
  heldBytes = 0
  /** The rules of the optimizer that are off. */
  #rulesOff = ALL_OFF
  /** Connections for later statements. */
  readonly #kept = new RecentMap<string, Connection>(MAX_KEPT, {
    onDrop: connection => connection.disconnectSync(),
  })

  private constructor(
    instance: Instance,
    folder: string,
    watch: { connection: Connection; untouched: string },
  ) {
    this.#instance = instance
    this.#folder = folder
    this.#watch = watch
  }

  /** Locks a fresh instance down to the built relations in a folder, and the process's own folder. */
  static async open(instance: Instance, folder: string, settings: EngineSettings): Promise<ProjectInstance> {
    const connection = await instance.connect()
    await connection.run('PRAGMA disable_optimizer') // of this connection, whose queries plan faster without it
    await lockDown(connection, settings, [folder])
    return new ProjectInstance(instance, folder, {
      connection,
      untouched: String(await readValue(connection, STATE)),
    })
  }

  /** Whether these files can be attached in addition to the present ones, none of which is kept for nothing. */
  canServe(files: readonly RelationFile[]): boolean {
    return (
      this.#attached.size + files.length <= MAX_ATTACHED && !this.#hasRemoved() && !files.some(this.#isOther)
    )
  }

  /** Whether a relation is attached in another form. */
  readonly #isOther = ({ alias, files }: RelationFile): boolean => {
    const [attached] = this.#attached.get(alias) ?? []
    return attached !== undefined && attached.path !== join(this.#folder, files[0] as string)
  }

  /**
   * Whether an attached file was taken away, whose space on the disk is free only when the instance is closed, even if
   * another one has its name since: it may have been damaged.
   */
  #hasRemoved(): boolean {
    const changedAt = statOf(this.#folder)?.mtimeNs ?? 0n
    if (changedAt === this.#changedAt) return false
    this.#changedAt = changedAt
    return [...this.#attached.values()].flat().some(({ path, inode }) => statOf(path)?.ino !== inode)
  }

  /**
   * A connection for one statement, on which only these relations resolve: the one that was kept with the key, or a new
   * one. Rules of the optimizer that are wrong for its SQL are off; without, all that are wrong for some.
   */
  async connect(files: readonly RelationFile[], key: string | null, sql?: string): Promise<Connection> {
    const off = sql === undefined ? ALL_OFF : await rulesOff(this.#watch.connection, sql)
    if (off !== this.#rulesOff) await setRules(this.#watch.connection, off)
    this.#rulesOff = off
    const path = pathOf(files)
    const kept = key === null || mayNameRowid(sql ?? '') ? undefined : this.#kept.delete(`${path} ${key}`)
    if (kept) return kept
    const connection = await this.#instance.connect()
    for (const file of files) {
      if (this.#attached.has(file.alias)) continue
      await attach(connection, file, this.#folder)
      const paths = file.files.map(name => join(this.#folder, name))
      this.#attached.set(
        file.alias,
        paths.map(path => ({ path, inode: statOf(path)?.ino })),
      )
    }
    await lookIn(connection, path)
    await hideRowid(connection, sql, files)
    return connection
  }

  /** Keeps a connection, which has run a statement without failure, for the next one with the same key. */
  keep(files: readonly RelationFile[], key: string, connection: Connection): void {
    this.#kept.set(`${pathOf(files)} ${key}`, connection)
  }

  /**
   * Whether the instance is as it was: false when a statement has changed settings, which the guard should have refused,
   * or when it answers no more; it must then be closed.
   */
  async isSound(): Promise<boolean> {
    const { connection, untouched } = this.#watch
    return readValue(connection, STATE).then(
      state => String(state) === untouched,
      () => false,
    )
  }

  /** Updates `heldBytes`. */
  async measure(): Promise<void> {
    this.heldBytes = Number(await readValue(this.#watch.connection, HELD))
  }

  close(): void {
    for (const connection of this.#kept.clear()) connection.disconnectSync()
    this.#watch.connection.disconnectSync()
    this.#instance.closeSync()
  }
}

function statOf(path: string) {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

function pathOf(files: readonly RelationFile[]): string {
  return files.map(file => `${file.alias}.main`).join(',')
}

/** Makes names resolve in these databases only. */
export async function lookIn(connection: Connection, path: string): Promise<void> {
  if (path) await connection.run(`SET search_path = ${literal(path)}`)
}

async function readValue(connection: Connection, sql: string): Promise<unknown> {
  return (await connection.run(sql)).getChunk(0).getRowValues(0)[0]
}

const CREATION = {
  errors_as_json: 'true',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
}

/** Creates an empty in-memory instance, which is not locked down yet. */
export function createInstance({ threads, memoryLimitBytes }: EngineSettings): Promise<Instance> {
  const memoryLimit = `${Math.floor(memoryLimitBytes / 2 / 1024)}KiB`
  return DuckDBInstance.create(':memory:', {
    ...CREATION,
    threads: String(threads),
    memory_limit: memoryLimit,
  })
}

/** Supplies empty instances. Creating one takes about 10 ms, so the next is created between jobs. */
export class FreshInstances {
  readonly #settings: EngineSettings
  #next: Promise<Instance> | null = null

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  /** An instance in which nothing has run. */
  take(): Promise<Instance> {
    const next = this.#next ?? createInstance(this.#settings)
    this.#next = null
    return next
  }

  /**
   * Closes the next instance. Whenever DuckDB closes one, its allocator returns all freed memory to the
   * system.
   */
  async discard(): Promise<void> {
    const next = await this.take().catch(() => null)
    next?.closeSync()
  }

  /**
   * Creates the next instance unless there is one; after a failure, such as lack of memory, `take` tries
   * again.
   */
  async refill(): Promise<void> {
    this.#next ??= createInstance(this.#settings)
    await this.#next.catch(() => {
      this.#next = null
    })
  }
}

/** Share of its memory limit that a process may have mapped before its instances are measured. */
const MOST_MAPPED = 0.35
/**
 * Share that they may then hold together, in blocks of relations read; closing an instance lets memory be
 * reused.
 */
const MOST_HELD = 0.2

/**
 * A worker's instances, one per recently read project of its organization; no instance can access the files of another.
 */
export class ProjectInstances {
  readonly #settings: WorkerSettings
  readonly #fresh: FreshInstances
  /** By the folder of the project. */
  readonly #open: RecentMap<string, ProjectInstance>
  /** Folders of the instances that have run statements since the last check. */
  readonly #unchecked = new Set<string>()

  constructor(settings: WorkerSettings, fresh: FreshInstances) {
    this.#settings = settings
    this.#open = new RecentMap(settings.mostOpen, { onDrop: instance => instance.close() })
    this.#fresh = fresh
  }

  /** A connection for one statement, see {@link ProjectInstance.connect}. */
  async connect({ folder, files }: View, key: string | null = null, sql?: string): Promise<Connection> {
    if (this.#open.get(folder)?.canServe(files) === false) this.#close(folder)
    let instance = this.#open.get(folder)
    if (!instance) {
      const path = join(this.#settings.given, folder)
      instance = await ProjectInstance.open(await this.#fresh.take(), path, this.#settings)
      this.#open.set(folder, instance)
    }
    this.#unchecked.add(folder)
    return instance.connect(files, key, sql)
  }

  /** Keeps a connection for the next statement with its key. */
  keep({ folder, files }: View, key: string, connection: Connection): void {
    const instance = this.#open.peek(folder)
    if (instance) instance.keep(files, key, connection)
    else connection.disconnectSync()
  }

  /** Closes the instances in which statements have changed settings since the last check. */
  async check(): Promise<void> {
    const used = [...this.#unchecked]
    this.#unchecked.clear()
    for (const folder of used) {
      const instance = this.#open.peek(folder)
      if (instance && !(await instance.isSound())) this.#close(folder)
    }
  }

  /** Closes old instances when `mappedBytes` leave the next query too little memory. */
  async reduce(mappedBytes: number): Promise<void> {
    const { memoryLimitBytes } = this.#settings
    if (mappedBytes <= MOST_MAPPED * memoryLimitBytes) return
    const last = this.#open.values().at(-1)
    await last?.measure().catch(() => this.closeLast()) // it answers no more queries
    for (const first of this.#open.keys().slice(0, -1)) {
      const held = this.#open.values().reduce((sum, { heldBytes }) => sum + heldBytes, 0)
      if (held <= MOST_HELD * memoryLimitBytes) return
      this.#close(first)
    }
  }

  /** Closes the instance used last, because its state is no longer trusted. */
  closeLast(): void {
    const last = this.#open.keys().at(-1)
    if (last !== undefined) this.#close(last)
  }

  closeAll(): void {
    for (const instance of this.#open.clear()) instance.close()
  }

  #close(folder: string): void {
    this.#open.delete(folder)?.close()
  }
}
