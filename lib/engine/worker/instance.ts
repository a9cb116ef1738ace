import type { EngineSettings, RelationFile, View } from '../jobs.js'
import { literal } from '../quote.js'
import type { Connection, Instance } from './duckdb.js'
import { KnownFailure } from './failure.js'
import type { FreshInstances } from './fresh.js'

/** Attached files beyond which a process starts afresh. */
const MAX_ATTACHED = 128

/** What a SELECT can change for those after it although the configuration is locked, by functions made for it. */
const CHANGEABLE = ['enable_logging', 'logging_storage', 'logging_level', 'allow_parser_override_extension']
// Not prepared once: the engine folds settings into the plan.
const STATE = `SELECT concat_ws(' ', ${CHANGEABLE.map(name => `current_setting(${literal(name)})`).join(', ')})`

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

/** The one instance of a process, for the snapshot that it knows; another snapshot gets a fresh one. */
export class SnapshotInstance {
  readonly #settings: EngineSettings
  readonly #fresh: FreshInstances
  #instance: Instance | null = null
  #watch: { connection: Connection; untouched: string } | null = null
  #folder: string | null = null
  #attached = new Set<string>()
  /** Where the names of the last statement were looked up. */
  #path = ''
  /** A connection that nobody has used, for the next statement over the same relations. */
  #spare: { path: string; connection: Connection } | null = null

  constructor(settings: EngineSettings, fresh: FreshInstances) {
    this.#settings = settings
    this.#fresh = fresh
  }

  /** A connection of its own for one statement, on which the view's relations resolve and nothing else. */
  async connect(view: View): Promise<Connection> {
    if (view.folder !== this.#folder || this.#attached.size + view.files.length > MAX_ATTACHED) this.close()
    this.#instance ??= await this.#open(view.folder)
    const path = view.files.map(file => `${file.alias}.main`).join(',')
    const spare = this.#takeSpare(path)
    if (spare) return spare
    const connection = await this.#instance.connect()
    for (const file of view.files) await this.#attach(connection, file)
    await lookIn(connection, path)
    this.#path = path
    return connection
  }

  /**
   * Sees to it that nothing of one query is there for the next one. The guard lets no statement pass that changes
   * anything; should one do, the instance goes.
   */
  async tidy(): Promise<void> {
    if (!this.#watch) return
    const { connection, untouched } = this.#watch
    try {
      if ((await readState(connection)) === untouched) return await this.#keepSpare()
    } catch {
      // It does not even answer any more.
    }
    this.close()
  }

  close(): void {
    this.#spare = null
    this.#watch?.connection.disconnectSync()
    this.#watch = null
    this.#instance?.closeSync()
    this.#instance = null
    this.#folder = null
    this.#attached = new Set()
  }

  #takeSpare(path: string): Connection | null {
    const spare = this.#spare
    if (spare?.path !== path) return null
    this.#spare = null
    return spare.connection
  }

  async #keepSpare(): Promise<void> {
    if (!this.#instance || this.#spare?.path === this.#path) return
    this.#spare?.connection.disconnectSync()
    const connection = await this.#instance.connect()
    await lookIn(connection, this.#path)
    this.#spare = { path: this.#path, connection }
  }

  async #open(folder: string): Promise<Instance> {
    const instance = await this.#fresh.take()
    const connection = await instance.connect()
    await lockDown(connection, this.#settings, [folder, this.#settings.scratch])
    this.#watch = { connection, untouched: await readState(connection) }
    this.#folder = folder
    return instance
  }

  async #attach(connection: Connection, file: RelationFile): Promise<void> {
    if (this.#attached.has(file.alias)) return
    await attach(connection, file)
    this.#attached.add(file.alias)
  }
}

/** Makes names resolve in these databases and nowhere else. */
async function lookIn(connection: Connection, path: string): Promise<void> {
  if (path) await connection.run(`SET search_path = ${literal(path)}`)
}

async function readState(connection: Connection): Promise<string> {
  const result = await connection.run(STATE)
  return String(result.getChunk(0).getRowValues(0)[0])
}
