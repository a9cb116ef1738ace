import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Distribution } from './distribution.js'

const READY_WITHIN_MS = 240_000
const JVM = [
  '-server',
  '-XX:+UseG1GC',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:ReservedCodeCacheSize=256M',
  '-XX:PerMethodRecompilationCutoff=10000',
  '-XX:PerBytecodeRecompilationCutoff=10000',
  '-Djdk.attach.allowAttachSelf=true',
  '-Djdk.nio.maxCachedBufferSize=2000000',
  '-Dfile.encoding=UTF-8',
  '-XX:+EnableDynamicAgentLoading',
  '--enable-native-access=ALL-UNNAMED',
  '--sun-misc-unsafe-memory-access=allow',
]

/** One Trino process, in a folder that holds its `etc`. */
export interface Node {
  /** Sends SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>
}

/** Starts the Trino whose configuration is in `folder`/etc, and waits until it answers on `port`. */
export async function startNode(
  { java, classPath, plugins }: Distribution,
  { folder, name, port, heap }: { folder: string; name: string; port: number; heap: string },
): Promise<Node> {
  const log = join(folder, 'log')
  const output = await open(log, 'a')
  const settings = {
    'node.environment': 'foldgate',
    'node.id': name,
    'node.data-dir': join(folder, 'data'),
    'node.bind-ip': '127.0.0.1',
    'node.internal-address': '127.0.0.1',
    'node.external-address': '127.0.0.1',
    config: 'etc/config.properties',
    'plugin.dir': plugins,
  }
  const properties = Object.entries(settings).map(([key, value]) => `-D${key}=${value}`)
  const child = spawn(java, [...JVM, `-Xmx${heap}`, ...properties, '-cp', classPath, 'io.trino.server.TrinoServer'], {
    cwd: folder,
    stdio: ['ignore', output.fd, output.fd],
  })
  await output.close()
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const ended = once(child, 'close').finally(() => process.off('exit', killAtExit))
  await ready(child, port, log)
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function ready(child: ChildProcess, port: number, log: string): Promise<void> {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await delay(250)) {
    if (child.exitCode !== null || child.signalCode !== null) break
    const answer = await fetch(`http://127.0.0.1:${port}/v1/info`, { signal: AbortSignal.timeout(5000) })
      .then(response => response.json() as Promise<{ starting: boolean }>)
      .catch(() => null)
    if (answer?.starting === false) return
  }
  child.kill('SIGKILL')
  throw new Error(`Trino did not start:\n${(await readFile(log, 'utf8')).slice(-4000)}`)
}

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
