import { processSettings, serveJobs } from '../../flow/child.js'
import { MEMORY_EXIT_STATUS } from '../../flow/exit.js'
import { RESERVED_WORDS } from '../../guard/quoting.js'
import type { UncheckedStatement } from '../guard-process.js'
import { api, DuckDBInstance } from './duckdb.js'
import { type KnownNames, openCheck, type Parse, parsingTogether } from './guard/check.js'

/** The guard's process: it parses callers' statements in an empty DuckDB instance and never runs them. */
const settings = processSettings<KnownNames>()

/** In the tree of a statement; a string of a caller has its quotes escaped. */
const OUT_OF_MEMORY = '"error_message":"Allocation failure"'
/** A statement, and its wrapped form. */
const TEXTS_OF_ONE = 2
const PARSE = 'SELECT system.main.json_serialize_sql(text) FROM (SELECT unnest($1::VARCHAR[]) AS text)'

async function openParser(): Promise<[Parse, ReadonlySet<string>]> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: '128MB',
    storage_compatibility_version: 'latest',
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET temp_directory=''; SET enable_external_access=false; SET lock_configuration=true")
  const prepared = await connection.prepare(PARSE)
  const words = (await connection.runAndReadAll(RESERVED_WORDS)).getRows()
  // Without the type, the statement is planned again.
  const bind = (texts: readonly string[]) => prepared.bind([api.listValue(texts)], [api.LIST(api.VARCHAR)])
  const parseAll = async (texts: readonly string[]): Promise<string[]> => {
    bind(texts)
    try {
      const trees = (await prepared.run()).getChunk(0).getColumnValues(0).map(String)
      if (trees.some(tree => tree.includes(OUT_OF_MEMORY))) throw new Error('out of memory')
      return trees
    } catch (cause) {
      // What the engine leaves allocated would be missing to the statements of others.
      if (texts.length === TEXTS_OF_ONE) process.exit(MEMORY_EXIT_STATUS)
      throw cause
    } finally {
      bind(['']) // keep no statement of one caller while the next one's is parsed
    }
  }
  return [parsingTogether(parseAll), new Set(words.map(([word]) => String(word)))]
}

const check = openParser().then(([parse, reserved]) => openCheck(settings, parse, reserved))

serveJobs({
  run: async job => {
    const known = await check
    return Promise.all((job as UncheckedStatement[]).map(({ sql, readable }) => known(sql, readable)))
  },
  describe: cause => ({ message: cause instanceof Error ? cause.message : String(cause) }),
})
