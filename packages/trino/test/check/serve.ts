import { once } from 'node:events'
import { startCluster } from './cluster.js'

/** Keeps a Trino until Ctrl+C, for suites that are run again and again. */
process.env.FOLDGATE_TEST_TRINO ??= 'start'
const cluster = await startCluster()
if (typeof cluster === 'string') {
  console.error(cluster)
  process.exit(1)
}
console.log(`export FOLDGATE_TEST_TRINO='${cluster.url} ${cluster.warehouse} ${cluster.storePort}'`)
const alive = setInterval(() => {}, 60_000)
// A shell may send the signal again while the folders are removed.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
clearInterval(alive)
await cluster.stop()
