import { processSettings, serveJobs } from '../../../flow/child.js'
import { RESERVED_WORDS } from '../../../guard/quoting.js'
import { DuckDBInstance } from '../duckdb.js'
import { type Names, openCheck, type Parse } from './check.js'

/** The guard's process: it parses callers' statements in an empty DuckDB instance and never runs them. */
const settings = processSettings<Names>()

const PARSE =
  'SELECT system.main.json_serialize_sql($1::VARCHAR), system.main.json_serialize_sql($2::VARCHAR)'
const NOTHING: [string, string] = ['', '']

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
  const parse: Parse = async texts => {
    prepared.bind(texts)
    try {
      const row = (await prepared.run()).getChunk(0).getRowValues(0)
      return [String(row[0]), String(row[1])]
    } finally {
      prepared.bind(NOTHING) // keep no statement of one caller while the next one's is parsed
    }
  }
  return [parse, new Set(words.map(([word]) => String(word)))]
}

const check = openParser().then(([parse, reserved]) => openCheck(settings, parse, reserved))

serveJobs({
  run: async job => {
    const { sql, relations } = job as { sql: string; relations?: readonly string[] }
    return (await check)(sql, relations)
  },
  describe: cause => ({ message: cause instanceof Error ? cause.message : String(cause) }),
})
