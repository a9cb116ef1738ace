/**
 * What the ports of a host have to do, as checks that run against its own ones with any test runner:
 *
 * ```ts
 * for (const { name, run } of projectPortContract(makeSubject)) it(name, run)
 * ```
 *
 * Every check makes a subject of its own and ends it. A check that fails says what the port did and what it should do.
 *
 * @module
 */
export type { Check, ContractOptions, Subject } from './contract.js'
export { type ExportSubject, exportPortContract } from './exports.js'
export { type KeySubject, keyPortContract } from './keys.js'
export { type NewProject, type ProjectSubject, projectPortContract } from './projects.js'
export { type Quota, type QuotaSubject, quotaPortContract } from './quota.js'
export { type SnapshotSubject, snapshotPortContract } from './snapshots.js'
export { type KeyUsage, type UsageSubject, usagePortContract } from './usage.js'
