/**
 * Trino for the suites in this folder, from Maven, on loopback. Its start takes 25 to 60 seconds and 1 to 3 GB of
 * memory, so all suites of a run share one:
 *
 *     let trino: Cluster
 *     before(async function () {
 *       this.timeout(STARTS_WITHIN_MS)
 *       trino = await sharedCluster(this)
 *     })
 *
 * The coordinator has the rules that `foldgate-trino rules` writes: the user `foldgate` may do everything, the user
 * `p_<16 hexadecimal digits>` may select in the schema of that name, and nobody else may do anything.
 *
 * The suite is skipped, with one line that says why, where Java or Maven are missing, and unless FOLDGATE_TEST_TRINO is
 * `start`, or `all` for what takes minutes too, or names a cluster. Test/hooks.ts stops the cluster after the last suite. The catalogue `trino.catalog` keeps tables below `trino.warehouse`, which statements address
 * as `local:///`: the file `<warehouse>/a/b.parquet` is `local:///a/b.parquet`. Each suite uses schemas, and folders of
 * the warehouse, of its own.
 *
 * To try things without waiting, `npx tsx test/check/trino/serve.ts` keeps a cluster, and prints what to set
 * FOLDGATE_TEST_TRINO to so that suites use that one.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ask } from './ask.js'
import { type Distribution, findDistribution } from './distribution.js'
import { etcOf } from './etc.js'
import { freePort, type Node, startNode } from './node.js'

/** For the timeout of a hook that may fetch Trino, and start it. */
export const STARTS_WITHIN_MS = 900_000
/** Whether suites may take minutes. */
export const isThorough = process.env.FOLDGATE_TEST_TRINO !== 'start'
const ANSWERS_WITHIN_MS = 60_000

export interface ClusterOptions {
  /** Workers beside the coordinator. Without any, which is the default, the coordinator works itself. */
  workers?: number
  /** Keeps what tasks exchange in files, and runs tasks again whose worker is lost. Default: false. */
  retryTasks?: boolean
  /** Leaves out the rules that `foldgate-trino rules` writes, so that everyone may do everything. Default: false. */
  open?: boolean
  /** Heap of each process, as for -Xmx. Default: 2G. */
  heap?: string
}

export interface Cluster {
  url: string
  catalog: string
  /** Folder that statements address as `local:///`. */
  warehouse: string
  /** Port of loopback at which the cluster looks for a server of S3, which a suite may start. */
  storePort: number
  /** Ends a worker with SIGKILL; workers count from 0. */
  kill(worker: number): Promise<void>
  /** Ends the coordinator with SIGKILL, and starts it again at the same address. */
  restart(): Promise<void>
  /** Ends all processes, and removes their folders. */
  stop(): Promise<void>
}

let shared: Promise<Cluster | string> | undefined

/** The cluster that suites share: started by the first, or the one that FOLDGATE_TEST_TRINO names. */
export async function sharedCluster(suite: Mocha.Context): Promise<Cluster> {
  shared ??= namedCluster() ?? startCluster()
  return orSkip(suite, await shared)
}

/** Skips the suite with one line where there is no cluster. */
export function orSkip(suite: Mocha.Context, cluster: Cluster | string): Cluster {
  if (typeof cluster !== 'string') return cluster
  console.log(`      left out: ${cluster}`)
  return suite.skip()
}

/** Stops the cluster that suites shared. */
export async function stopSharedCluster(): Promise<void> {
  const cluster = await shared?.catch(() => undefined)
  shared = undefined
  if (typeof cluster === 'object') await cluster.stop()
}

/** A cluster that runs already, from `FOLDGATE_TEST_TRINO='<url> <warehouse> <port of the store>'`. */
function namedCluster(): Promise<Cluster> | undefined {
  const [url, warehouse, storePort] = process.env.FOLDGATE_TEST_TRINO?.split(' ') ?? []
  if (url === undefined || warehouse === undefined) return undefined
  const refuse = () => Promise.reject(new Error('FOLDGATE_TEST_TRINO names a cluster that suites may not end'))
  const named = { url, catalog: 'iceberg', warehouse, storePort: Number(storePort) }
  return Promise.resolve({ ...named, kill: refuse, restart: refuse, stop: async () => {} })
}

/** Starts a cluster of one suite; a string says why there can be none. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster | string> {
  // Fetching and starting it takes minutes, which not every run has.
  if (!process.env.FOLDGATE_TEST_TRINO) return 'FOLDGATE_TEST_TRINO=start tries Trino too'
  const distribution = await findDistribution()
  if (typeof distribution === 'string') return distribution
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-cluster-'))
  const nodes: (Node | undefined)[] = []
  const stop = async () => {
    await Promise.all(nodes.map(node => node?.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    return { ...(await startIn(folder, nodes, distribution, options)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startIn(
  folder: string,
  nodes: (Node | undefined)[],
  distribution: Distribution,
  { workers = 0, retryTasks = false, open = false, heap = '2G' }: ClusterOptions,
): Promise<Omit<Cluster, 'stop'>> {
  const warehouse = join(folder, 'warehouse')
  const exchange = join(folder, 'exchange')
  for (const path of [warehouse, exchange]) await mkdir(path)
  const [coordinator, storePort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${coordinator}`

  const start = async (name: string, port: number) => {
    const home = join(folder, name)
    const store = `http://127.0.0.1:${storePort}`
    const etc = etcOf({ port, coordinator, workers, warehouse, store, open, exchange: retryTasks ? exchange : null })
    for (const [file, text] of Object.entries(etc)) {
      const path = join(home, 'etc', file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
    return startNode(distribution, { folder: home, name, port, heap })
  }
  const startCoordinator = async () => {
    nodes[0] = await start('coordinator', coordinator)
  }
  const startWorker = async (worker: number) => {
    nodes[worker + 1] = await start(`worker${worker}`, await freePort())
  }
  const started = [startCoordinator(), ...Array.from({ length: workers }, (_, worker) => startWorker(worker))]
  // All, so that a process that starts late is stopped too.
  const failed = (await Promise.allSettled(started)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  await answers(url, Math.max(1, workers))
  return {
    url,
    catalog: 'iceberg',
    warehouse,
    storePort,
    async kill(worker) {
      await nodes[worker + 1]?.kill()
    },
    async restart() {
      await nodes[0]?.kill()
      await startCoordinator()
      await answers(url, Math.max(1, workers))
    },
  }
}

/** Waits until so many processes take tasks: a process that has started is not known to the coordinator at once. */
async function answers(url: string, nodes: number): Promise<void> {
  const count = `SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'`
  for (const end = Date.now() + ANSWERS_WITHIN_MS; Date.now() < end; await delay(250)) {
    const { rows } = await ask(url, nodes === 1 ? 'SELECT 1' : count)
    if (Number(rows[0]?.[0]) >= nodes) return
  }
  throw new Error('Trino started, but takes no statement')
}
