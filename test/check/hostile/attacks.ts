/** Targets of the attacks. None of them belongs to the snapshot that a statement reads. */
export interface Places {
  /** A folder of the host, with `secret.csv`, `secret.json` and `secret.txt`. */
  outside: string
  /** A built relation of another project. */
  otherTenantFile: string
  /** The scratch folder of another connection. */
  otherTenantScratch: string
  /** Origin of a server that counts connections. */
  origin: string
}

/** Statements that try to reach beyond the engine; each must fail. */
export function attacks({ outside, otherTenantFile, otherTenantScratch, origin }: Places): string[] {
  const readers = ['read_csv', 'read_text', 'read_blob', 'read_json', 'sniff_csv', 'read_json_objects']
  const files = [`${outside}/secret.csv`, otherTenantFile, `${outside}/../${outside.split('/').at(-1)}/secret.txt`]
  const target = `${outside}/written`
  return [
    ...readers.flatMap(reader => files.map(file => `SELECT * FROM ${reader}('${file}')`)),
    ...['secret.csv', 'secret.json'].map(name => `SELECT * FROM '${outside}/${name}'`),
    `SELECT * FROM '${otherTenantFile}'`,
    `SELECT * FROM glob('${outside}/*')`,
    `SELECT * FROM glob('${otherTenantScratch}/*')`,
    `SELECT * FROM read_blob('${otherTenantScratch}/*')`,
    `SELECT * FROM read_blob('../1/*')`,
    `SELECT * FROM read_text('file://${outside}/secret.txt')`,
    `SELECT * FROM query('SELECT * FROM read_text(''${outside}/secret.txt'')')`,
    `SELECT * FROM query_table('${outside}/secret.csv')`,
    `SELECT * FROM parquet_metadata('${otherTenantFile}')`,
    `SELECT * FROM read_duckdb('${otherTenantFile}')`,
    `SELECT * FROM read_csv('/dev/stdin')`,
    `SELECT * FROM read_text('/proc/self/environ')`,
    `SELECT * FROM read_blob('/proc/self/mem')`,
    `SELECT * FROM read_csv('${origin}/x.csv')`,
    `SELECT * FROM '${origin}/x.parquet'`,
    `SELECT * FROM read_json('${origin}/x.json')`,
    `SELECT * FROM enable_logging(storage = 'file', storage_path = '${target}')`,
    `ATTACH '${otherTenantFile}' AS taken (READ_ONLY)`,
    `ATTACH '${target}.duckdb' AS made`,
    `ATTACH '${origin}/x.duckdb' AS remote`,
    `COPY (SELECT 42) TO '${target}.csv'`,
    `COPY (SELECT * FROM amounts) TO '${target}.parquet' (FORMAT parquet)`,
    `COPY amounts FROM '${outside}/secret.csv'`,
    `EXPORT DATABASE '${target}'`,
    `IMPORT DATABASE '${outside}'`,
    `SELECT 1; COPY (SELECT 42) TO '${target}.csv'`,
    `SELECT 1) AS q(c0); COPY (SELECT 42) TO '${target}.csv'; SELECT * FROM (SELECT 1`,
    `SELECT 1 AS a) AS q(c0) LIMIT 1; CREATE TABLE memory.main.kept AS SELECT 1; SELECT * FROM (SELECT 1 AS a`,
    `SELECT 1) TO '${target}.csv'; --`,
    'SET enable_external_access = true; SELECT 1',
    'SET lock_configuration = false',
    `SET temp_directory = '${outside}'`,
    `SET allowed_directories = ['${outside}/']`,
    `SET log_query_path = '${target}.log'`,
    "SET VARIABLE kept = 'x'",
    'CREATE TABLE memory.main.kept AS SELECT 1 AS kept',
    'CREATE TEMP TABLE kept AS SELECT 1 AS kept',
    'CREATE VIEW memory.main.amounts AS SELECT 1 AS amount',
    'CREATE MACRO memory.main.sum(x) AS 0',
    'CREATE SEQUENCE memory.main.kept',
    "CREATE SECRET kept (TYPE s3, KEY_ID 'x', SECRET 'y')",
    'PREPARE kept AS SELECT 1',
    'INSERT INTO amounts SELECT * FROM amounts',
    'UPDATE amounts SET amount = 0',
    'DELETE FROM amounts',
    'DROP TABLE amounts',
    'TRUNCATE amounts',
    'ALTER TABLE amounts ADD COLUMN kept INTEGER',
    'DETACH memory',
    'INSTALL httpfs',
    `INSTALL '${outside}/x.duckdb_extension'`,
    `LOAD '${outside}/x.duckdb_extension'`,
    `INSTALL httpfs FROM '${origin}'`,
    'CALL enable_logging()',
    'PRAGMA enable_profiling',
    `PRAGMA import_database('${outside}')`,
    'BEGIN TRANSACTION',
    'VACUUM',
    'CHECKPOINT',
  ]
}
