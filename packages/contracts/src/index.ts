/**
 * Checks of what the ports of a host must do. Run them against your own with any test runner:
 *
 * ```ts
 * for (const { name, run } of projectPortContract(makeSubject)) it(name, run)
 * ```
 *
 * Each check makes its own subject and closes it. A check that fails says what the port did and what it
 * should do.
 *
 * @module foldgate-contracts
 */

export { type CatalogueSubject, catalogueContract } from './catalogue.js'
export type { Check, ContractOptions, Subject } from './contract.js'
export { type ExportSubject, exportPortContract } from './export-port.js'
export { type KeySubject, keyPortContract } from './key-port.js'
export { type NewProject, type ProjectSubject, projectPortContract } from './project-port.js'
export { type Quota, type QuotaSubject, quotaPortContract } from './quota-port.js'
export { type SnapshotSubject, snapshotPortContract } from './snapshot-port.js'
export { sourceContract } from './source.js'
export type { EndlessSource, SourceSubject } from './source-reader.js'
export { type KeyUsage, type UsageSubject, usagePortContract } from './usage-port.js'
