import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from 'foldgate/node'
import { AUTHORIZATION, largestProject } from './assessed.js'
import { LoadConnection } from './load/connection.js'
import { listening, postBytes } from './load/load.js'
import type { Figure } from './run.js'

const PATH = '/public/v1/api/projects/query'
const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
/** Time in which a process writes what it has called. */
const WRITTEN_MS = 1_000

/**
 * Counts the files of the library, and the functions in them, that run for one query with a statement that is new, over
 * relations that are built: in the host, in the process of the guard and in the worker. V8 tells which functions a
 * process has called since it was last asked. Functions without a name are counted with the one around them.
 */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const node = process.execPath
  const told = await processesThatTell(project.folder)
  const api = await project.open({ engine: { sandbox: 'off', connections: 2, spares: 1 } })
  const { port, server } = await listening(toNodeHandler(api))
  const host = new Session()
  host.connect()
  try {
    const connection = await LoadConnection.open(port)
    const ask = (n: number) => {
      const sql = `SELECT risk_code, site_key, ${n} AS n FROM risk_rows LIMIT 100`
      const body = JSON.stringify({ projectId: project.projectId, sql })
      return connection.ask(postBytes(PATH, AUTHORIZATION, body))
    }
    for (let n = 0; n < 3; n++) if ((await ask(n)) !== 200) throw new Error('a query failed')
    await host.post('Profiler.enable')
    await host.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await told()
    await host.post('Profiler.takePreciseCoverage')
    await ask(3)
    const { result } = await host.post('Profiler.takePreciseCoverage')
    const called = [...calledIn(result), ...(await told())]
    connection.close()
    const walk = new Map<string, Set<string>>()
    for (const [file, name] of called) walk.set(file, (walk.get(file) ?? new Set()).add(name))
    if (process.env.FOLDGATE_WALK)
      for (const [file, names] of [...walk].sort()) process.stdout.write(`${file}: ${[...names].join(' ')}\n`)
    const functions = [...walk.values()].reduce((sum, names) => sum + names.size, 0)
    const measured = `${walk.size} files, ${functions} functions`
    return [{ what: 'the walk of one query', measured, baseline: '', bar: '45 files' }]
  } finally {
    process.execPath = node // for the benches after this one
    host.disconnect()
    server.close()
    server.closeAllConnections()
    await api.close()
    await project.remove()
  }
}

type Called = [file: string, name: string]

interface Coverage {
  url: string
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[]
}

/** Functions of the library that have been called, by the files that they are in. */
function calledIn(coverage: readonly Coverage[]): Called[] {
  return coverage.flatMap(({ url, functions }) => {
    const path = url.startsWith('file:') ? fileURLToPath(url) : ''
    if (!path.startsWith(DIST)) return []
    const called = functions.filter(({ functionName, ranges: [whole] }) => functionName !== '' && whole?.count)
    return called.map(
      ({ functionName, ranges: [whole] }): Called => [path.slice(DIST.length), `${functionName}@${whole?.startOffset}`],
    )
  })
}

/**
 * Has the processes of the engine, without their bundles, tell what they have called since they were last asked; before
 * any of them starts.
 */
async function processesThatTell(folder: string): Promise<() => Promise<Called[]>> {
  const [script, node] = [join(folder, 'tell.mjs'), join(folder, 'node')]
  await writeFile(
    script,
    `import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
process.on('SIGUSR2', () =>
  session.post('Profiler.takePreciseCoverage', (_, { result }) =>
    writeFileSync(${JSON.stringify(folder)} + '/told-' + process.pid, JSON.stringify(result))))
writeFileSync(${JSON.stringify(folder)} + '/pid-' + process.pid, '')
`,
  )
  await writeFile(
    node,
    `#!/bin/bash\nexec ${process.execPath} --import ${script} "\${@//\\/dist\\/bundle\\///dist/}"\n`,
    {
      mode: 0o755,
    },
  )
  process.execPath = node
  return async () => {
    const named = async (prefix: string) => (await readdir(folder)).filter(name => name.startsWith(prefix))
    for (const name of await named('pid-'))
      try {
        process.kill(Number(name.slice(4)), 'SIGUSR2')
      } catch {
        await rm(join(folder, name)) // it has ended
      }
    await new Promise(resolve => setTimeout(resolve, WRITTEN_MS))
    const called: Called[] = []
    for (const name of await named('told-')) {
      called.push(...calledIn(JSON.parse(await readFile(join(folder, name), 'utf8'))))
      await rm(join(folder, name))
    }
    return called
  }
}
