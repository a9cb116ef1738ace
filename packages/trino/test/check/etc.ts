import { clusterRules } from '#trino/rules/cluster-rules.js'
import { KEY, REGION } from '../../../s3/test/check/gateway.js'

/** Files of the folder `etc` of one process, by path. */
export type Etc = Record<string, string>

export interface EtcOptions {
  port: number
  /** Port of the coordinator. */
  coordinator: number
  workers: number
  /** Folder that statements address as `local:///`. */
  warehouse: string
  /** URL of the server of S3 that suites may start. */
  store: string
  /** Leaves out the rules, so that everyone may do everything. */
  open: boolean
  /** Folder in which retried tasks keep what they exchange; null to run no task again. */
  exchange: string | null
}

/** Writes the configuration of a coordinator, or of a worker. */
export function etcOf({ port, coordinator, workers, warehouse, store, open, exchange }: EtcOptions): Etc {
  const config = {
    coordinator: port === coordinator,
    'http-server.http.port': port,
    'discovery.uri': `http://127.0.0.1:${coordinator}`,
    'query.max-memory': '600MB',
    'query.max-memory-per-node': '300MB',
    'memory.heap-headroom-per-node': '900MB',
    'query.remote-task.max-error-duration': '15s', // by default a lost worker is noticed after a minute
    ...(port === coordinator && { 'node-scheduler.include-coordinator': workers === 0 }),
    ...(exchange !== null && { 'retry-policy': 'TASK' }),
    ...(exchange !== null && port === coordinator && { 'fault-tolerant-execution-task-memory': '200MB' }),
  }
  const catalog = {
    'connector.name': 'iceberg',
    'iceberg.catalog.type': 'TESTING_FILE_METASTORE',
    'hive.metastore.catalog.dir': 'local:///catalog',
    'fs.native-local.enabled': true,
    'local.location': warehouse,
    'fs.native-s3.enabled': true,
    's3.endpoint': store,
    's3.region': REGION,
    's3.path-style-access': true,
    's3.aws-access-key': KEY.accessKeyId,
    's3.aws-secret-key': KEY.secretAccessKey,
    // A file that is gone from the bucket would be read from the memory of the coordinator.
    'iceberg.metadata-cache.enabled': false,
    'iceberg.add-files-procedure.enabled': true,
    'iceberg.register-table-procedure.enabled': true,
  }
  const isRuled = port === coordinator && !open
  const rules = clusterRules({ catalog: 'iceberg', memory: '300MB', cpu: '120s' })
  return {
    ...(isRuled && Object.fromEntries(rules.map(({ path, text }) => [path, text]))),
    'config.properties': properties(config),
    'catalog/iceberg.properties': properties(catalog),
    ...(exchange !== null && {
      'exchange-manager.properties': properties({
        'exchange-manager.name': 'filesystem',
        'exchange.base-directories': exchange,
      }),
    }),
  }
}

const properties = (settings: Record<string, string | number | boolean>) =>
  Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')
