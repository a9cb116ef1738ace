import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { attachBuilt } from '../assessed.js'
import type { Peer } from './peer.js'

const run = promisify(execFile)
const PACKAGES = ['roapi==0.12.7', 'datasette==0.65.5']
const STARTS_WITHIN_MS = 60_000

/** Installs packages of PyPI into an environment in `folder`, and resolves to the folder of its programs. */
export async function installed(folder: string, packages: readonly string[]): Promise<string> {
  await run('python3', ['-m', 'venv', join(folder, 'python')])
  const bin = join(folder, 'python', 'bin')
  await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  return bin
}

/** Starts ROAPI and Datasette from PyPI with the rows of `risk_rows`; throws if Python or a package is unavailable. */
export async function pythonPeers(folder: string, cache: string): Promise<Peer[]> {
  const bin = await installed(folder, PACKAGES)
  const files = await rowsFor(folder, cache, join(bin, 'python'))
  const [roapiPort, datasettePort, ...others] = await freePorts(4)
  const at = (port?: number) => `127.0.0.1:${port}`
  const roapi = spawn(
    join(bin, 'roapi'),
    ['-t', `risk_rows=${files.parquet}`, '-a', at(roapiPort), '-p', at(others[0]), '--addr-flight-sql', at(others[1])],
    { stdio: 'ignore' },
  )
  const settings = ['--setting', 'sql_time_limit_ms', '20000', '--setting', 'max_returned_rows', '1000']
  const datasette = spawn(
    join(bin, 'datasette'),
    ['serve', '--immutable', files.sqlite, '--port', String(datasettePort), ...settings],
    { stdio: 'ignore' },
  )
  const peers: Peer[] = [
    {
      name: 'ROAPI',
      port: roapiPort ?? 0,
      pid: roapi.pid ?? 0,
      // It has no parameters.
      request: ({ sql }) => ({ path: '/api/sql', body: sql.replace('$a', '#') }),
      rows: answer => answer as Record<string, unknown>[],
      stop: () => void roapi.kill(),
    },
    {
      name: 'Datasette',
      port: datasettePort ?? 0,
      pid: datasette.pid ?? 0,
      request: ({ sql, parameters }) => {
        const text = encodeURIComponent(sql.replace('$a', ':a')).replace('%23', '#')
        return { path: `/rows.json?_shape=array&sql=${text}${parameters ? '&a=#' : ''}`, body: null }
      },
      rows: answer => answer as Record<string, unknown>[],
      stop: () => void datasette.kill(),
    },
  ]
  await Promise.all([answers(roapi, peers[0] as Peer), answers(datasette, peers[1] as Peer)]).catch(cause => {
    for (const peer of peers) peer.stop()
    throw cause
  })
  return peers
}

const TO_SQLITE = `
import csv, sqlite3, sys
source, target, columns = sys.argv[1:]
database = sqlite3.connect(target)
database.execute(f'CREATE TABLE risk_rows ({columns})')
rows = csv.reader(open(source, newline=''))
database.executemany(f'INSERT INTO risk_rows VALUES ({",".join("?" * len(columns.split(",")))})', rows)
database.commit()
`

/** Writes the rows as a Parquet file and as an SQLite database. */
async function rowsFor(folder: string, cache: string, python: string): Promise<{ parquet: string; sqlite: string }> {
  const [parquet, csv, sqlite] = ['parquet', 'csv', 'db'].map(end => join(folder, `rows.${end}`)) as [
    string,
    string,
    string,
  ]
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await attachBuilt(connection, cache)
  await connection.run(`COPY (FROM risk_rows) TO '${parquet}' (FORMAT parquet)`)
  await connection.run(`COPY (FROM risk_rows) TO '${csv}' (FORMAT csv, HEADER false)`)
  const columns = (await connection.runAndReadAll('DESCRIBE risk_rows')).getRows()
  connection.closeSync()
  const affinity = (type: string) => (/INT/.test(type) ? 'INTEGER' : type === 'DOUBLE' ? 'REAL' : 'TEXT')
  const script = join(folder, 'to-sqlite.py')
  await writeFile(script, TO_SQLITE)
  const declared = columns.map(([name, type]) => `${name} ${affinity(String(type))}`)
  await run(python, [script, csv, sqlite, declared.join(',')])
  return { parquet, sqlite }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const ports = servers.map(server => (server.address() as { port: number }).port)
  for (const server of servers) server.close()
  return ports
}

/** Resolves once the server answers a statement. */
async function answers(child: ChildProcess, { name, port, request }: Peer): Promise<void> {
  const { path, body } = request({ sql: 'SELECT 1 AS one' })
  const ends = performance.now() + STARTS_WITHIN_MS
  while (performance.now() < ends && child.exitCode === null) {
    const asked = fetch(`http://127.0.0.1:${port}${path}`, body === null ? {} : { method: 'POST', body })
    if (await asked.then(answer => answer.ok).catch(() => false)) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error(`${name} does not answer`)
}
