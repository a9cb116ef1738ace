/**
 * Checks of what the ports of a host, and engines, must do. Run them against your own with any test runner:
 *
 * ```ts
 * for (const { name, run } of projectPortContract(makeSubject)) it(name, run)
 * ```
 *
 * Each check makes its own subject and closes it. A check that fails says what the port did and what it should do.
 *
 * @module foldgate/contracts
 */
export type { Check, ContractOptions, Subject } from './contract.js'
export { type EngineSubject, engineContract } from './engine.js'
export { type ExportSubject, exportPortContract } from './exports.js'
export { type KeySubject, keyPortContract } from './keys.js'
export { type NewProject, type ProjectSubject, projectPortContract } from './projects.js'
export { type Quota, type QuotaSubject, quotaPortContract } from './quota.js'
export { type SnapshotSubject, snapshotPortContract } from './snapshots.js'
export { type KeyUsage, type UsageSubject, usagePortContract } from './usage.js'
