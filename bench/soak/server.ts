import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../test/server/command.js'
import { call, serve, stop } from '../../test/server/server.js'

/** The reference server with the generated projects, in its own process. */
export interface DemoServer {
  url: string
  key: string
  pid: number
  /** The largest project, and its cache folder. */
  projectId: string
  cache: string
  /** Ends the server and removes its data; returns its exit status. */
  stop(): Promise<number | null>
}

/** Prepares the demo and serves it with a short time limit, so that bombs end soon. */
export async function startDemoServer(): Promise<DemoServer> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-soak-'))
  const data = ['--data', join(folder, 'data')]
  const demo = await run(folder, ['demo', '--once', '--json', '--port', '0', ...data])
  const { key } = JSON.parse(demo.stdout) as { key: string }
  const limits = { quota: '1000000/60s', queryTimeout: '2s', exportTimeout: '5s', connections: 2 }
  const { url, child } = await serve(folder, ...data, limits)
  child.stderr?.resume()
  child.stdout?.resume()
  const { items } = await call(url, key, 'list')
  let [projectId, most] = ['', -1]
  for (const project of items.filter(({ state }) => state === 'computed')) {
    const counted = await call(url, key, 'query', {
      projectId: project.projectId,
      sql: 'SELECT count(*) AS n FROM sites',
    })
    const rows = Number(counted.items[0]?.n)
    if (rows > most) [projectId, most] = [String(project.projectId), rows]
  }
  return {
    url,
    key,
    projectId,
    cache: join(folder, 'data', 'engine', 'cache', projectId),
    pid: child.pid as number,
    async stop() {
      const status =
        child.exitCode ?? (await Promise.race([stop(child), once(child, 'exit').then(() => child.exitCode)]))
      await rm(folder, { recursive: true, force: true })
      return status
    },
  }
}
