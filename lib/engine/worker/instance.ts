import type { EngineSettings, RelationFile } from '../jobs.js'
import { literal } from '../quote.js'
import type { Connection, Instance } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'

/** Attached files beyond which a process starts afresh. */
const MAX_ATTACHED = 128

/** What a SELECT can change for those after it although the configuration is locked, by functions made for it. */
const CHANGEABLE = ['enable_logging', 'logging_storage', 'logging_level', 'allow_parser_override_extension']
// Not prepared once: the engine folds settings into the plan.
const STATE = `SELECT concat_ws(' ', ${CHANGEABLE.map(name => `current_setting(${literal(name)})`).join(', ')})`

const HELD = 'SELECT sum(memory_usage_bytes) FROM duckdb_memory()'

/** Bounds and lock-down. `temp_directory` is set here because given at creation its size limit is not enforced. */
export async function lockDown(
  connection: Connection,
  settings: EngineSettings,
  folders: readonly string[],
): Promise<void> {
  const allowed = folders.map(folder => literal(`${folder}/`)).join(', ')
  await connection.run(
    [
      `SET TimeZone = 'UTC'`,
      `SET temp_directory = ${literal(settings.scratch)}`,
      `SET max_temp_directory_size = '${Math.floor(settings.spillBytes / 1024)}KiB'`,
      'SET max_expression_depth = 250',
      `SET allowed_directories = [${allowed}]`,
      'SET enable_external_access = false',
      'SET lock_configuration = true',
    ].join(';'),
  )
}

/** Makes a built relation readable; a file that is gone or damaged is a failure of the view, by its alias. */
export async function attach(connection: Connection, file: RelationFile): Promise<void> {
  try {
    await connection.run(`ATTACH ${literal(file.path)} AS ${file.alias} (READ_ONLY)`)
  } catch (cause) {
    throw new KnownFailure({ kind: 'view', text: file.alias, cause: String(cause) })
  }
}

/** An instance for one snapshot. */
export class SnapshotInstance {
  readonly #instance: Instance
  /** A connection that no statement has, and what it must find after each. */
  readonly #watch: { connection: Connection; untouched: string }
  readonly #attached = new Set<string>()
  /** What it held when that was last looked at. */
  heldBytes = 0
  /** Where the names of the last statement were looked up. */
  #path = ''
  /** A connection that nobody has used, for the next statement over the same relations. */
  #spare: { path: string; connection: Connection } | null = null

  private constructor(instance: Instance, watch: { connection: Connection; untouched: string }) {
    this.#instance = instance
    this.#watch = watch
  }

  /** Locks a fresh instance down to the built relations of a snapshot and the scratch folder. */
  static async open(instance: Instance, folder: string, settings: EngineSettings): Promise<SnapshotInstance> {
    const connection = await instance.connect()
    await connection.run('PRAGMA disable_optimizer') // of this connection: what it asks is quicker planned without
    await lockDown(connection, settings, [folder, settings.scratch])
    return new SnapshotInstance(instance, { connection, untouched: String(await readValue(connection, STATE)) })
  }

  /** Whether these can be attached beside those that are. */
  hasRoomFor(files: readonly RelationFile[]): boolean {
    return this.#attached.size + files.length <= MAX_ATTACHED
  }

  /** A connection of its own for one statement, on which these relations resolve and nothing else. */
  async connect(files: readonly RelationFile[]): Promise<Connection> {
    const path = files.map(file => `${file.alias}.main`).join(',')
    if (this.#spare?.path === path) {
      const { connection } = this.#spare
      this.#spare = null
      return connection
    }
    const connection = await this.#instance.connect()
    for (const file of files) {
      if (this.#attached.has(file.alias)) continue
      await attach(connection, file)
      this.#attached.add(file.alias)
    }
    await lookIn(connection, path)
    this.#path = path
    return connection
  }

  /**
   * Sees to it that nothing of one query is there for the next one. The guard lets no statement pass that changes
   * anything; should one do, this is false, and the instance has to go. `measure` looks at what it holds.
   */
  async reset(measure: boolean): Promise<boolean> {
    try {
      const { connection: watch, untouched } = this.#watch
      if (String(await readValue(watch, STATE)) !== untouched) return false
      if (measure) this.heldBytes = Number(await readValue(watch, HELD))
      if (this.#spare?.path === this.#path) return true
      this.#spare?.connection.disconnectSync()
      const connection = await this.#instance.connect()
      await lookIn(connection, this.#path)
      this.#spare = { path: this.#path, connection }
      return true
    } catch {
      return false // it does not even answer any more
    }
  }

  close(): void {
    this.#spare?.connection.disconnectSync()
    this.#watch.connection.disconnectSync()
    this.#instance.closeSync()
  }
}

/** Makes names resolve in these databases and nowhere else. */
async function lookIn(connection: Connection, path: string): Promise<void> {
  if (path) await connection.run(`SET search_path = ${literal(path)}`)
}

async function readValue(connection: Connection, sql: string): Promise<unknown> {
  return (await connection.run(sql)).getChunk(0).getRowValues(0)[0]
}
