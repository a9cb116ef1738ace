import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { type AnalyticsApi, createAnalyticsApi, directoryExports, directorySnapshots } from 'foldgate'
import { withMcp } from 'foldgate/mcp'
import { createApp } from './app.js'
import { catalogue } from './catalogue/index.js'
import type { ServerConfig } from './config.js'
import { describeEvent, logLine } from './events.js'
import { keepPruning } from './pruning.js'
import { sweepScratch } from './sealing.js'
import { serveSockets } from './sockets.js'
import { lockDataFolder, openDataFolder } from './store/data-folder.js'
import { keyPort, projectPort } from './store/ports.js'
import { quotaPort } from './store/quota.js'
import { Refusal } from './store/refusal.js'
import { sealingSecrets } from './store/secrets.js'
import { openStore } from './store/store.js'
import { usagePort } from './store/usage.js'

/** How long calls in flight may go on once the server is told to stop. */
const GRACE_MS = 10_000
/** How often connections that have fallen idle meanwhile are closed. */
const IDLE_CHECK_MS = 50

/** A server that answers. */
export interface RunningServer {
  /** Where it listens, with the port it got. */
  url: string
  /** Lets calls in flight finish for ten seconds, stops everything, writes what was counted and frees the data folder. */
  close(): Promise<void>
}

/**
 * Starts the reference server; it answers when this resolves. A port that is taken, a data folder that another server
 * has or that is no such folder is a refusal.
 */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const closers: (() => void | Promise<void>)[] = []
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    const url = await start(config, close => closers.push(close))
    let closing: Promise<void> | undefined
    return {
      url,
      close() {
        closing ??= closeAll()
        return closing
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function start(config: ServerConfig, onClose: (close: () => void | Promise<void>) => void): Promise<string> {
  const folder = await openDataFolder(config.data, config)
  const lock = lockDataFolder(folder)
  onClose(() => lock.release())
  const store = await openStore(folder.control)
  onClose(() => store.close())
  // Connections of their own: counters that wait for another process to write hold up no call, and wait for no disk.
  const counters = await openStore(folder.control, { blockingWaitMs: 0, isDurable: false })
  onClose(() => counters.close())
  const usage = usagePort(counters)
  onClose(() => usage.close())
  const quota = await quotaPort(counters, config.quota)
  onClose(() => quota.close())
  const snapshots = directorySnapshots(folder.snapshots)
  await Promise.all([snapshots.sweep(), sweepScratch(folder.scratch)])
  const exports = directoryExports(folder.exports, { retentionMs: config.exportRetentionMs })
  onClose(() => exports.close())

  let answer: RequestListener = (_request, response) => {
    response.writeHead(503, { 'Retry-After': '1' }).end('starting\n')
  }
  const server = createServer((request, response) => answer(request, response))
  const url = await listen(server, config)
  let api: AnalyticsApi | undefined
  onClose(async () => {
    await drain(server)
    await api?.close()
  })
  const bare = createAnalyticsApi({
    baseUrl: config.baseUrl ?? url,
    secrets: await sealingSecrets(store),
    catalogue,
    keys: keyPort(store),
    projects: projectPort(store),
    snapshots,
    exports,
    engine: {
      folder: folder.engine,
      memoryLimitBytes: config.memoryLimitBytes,
      ...(config.connections === null ? {} : { connections: config.connections }),
    },
    quota,
    usage,
    limits: config.limits,
    onEvent(event) {
      const line = describeEvent(event)
      if (line !== null) logLine(line)
    },
  })
  api = withMcp(bare)
  if (config.keepSnapshots !== null) {
    const pruning = keepPruning(store, snapshots, config.keepSnapshots)
    onClose(() => pruning.stop())
  }
  await api.ready()
  const sockets = serveSockets(server, api)
  onClose(() => sockets.close(GRACE_MS))
  answer = createApp(api, { store, baseUrl: config.baseUrl ?? url, proxies: config.proxies }).callback()
  return url
}

/** Resolves with the address once the server listens. */
async function listen(server: Server, { host, port }: ServerConfig): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new Refusal(whyNotListening(cause.code, host, port), { cause })
  })
  const { address, port: taken } = server.address() as AddressInfo
  // Nobody can call "any address": whoever reads the line is most likely on the same machine.
  const reachable = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${taken}`
}

function whyNotListening(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken: name another with --port, or 0 for a free one`
  if (code === 'EACCES') return `Port ${port} on ${host} is not allowed for this user: name one above 1023 with --port`
  return `There is no listening on ${host} (${code}): name an address of this machine with --host`
}

/** Takes no new connection and waits for the calls in flight, up to the grace period. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(idle)
  clearTimeout(grace)
}
