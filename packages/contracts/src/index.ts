/**
 * Checks of what the ports, the sources and the catalogue of a host must do. Run them against your own with any test runner:
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
export { catalogueContract } from './catalogue.js'
export type { Check } from './contract.js'
export { exportPortContract } from './export-port.js'
export { keyPortContract } from './key-port.js'
export { projectPortContract } from './project-port.js'
export { quotaPortContract } from './quota-port.js'
export { snapshotPortContract } from './snapshot-port.js'
export { sourceContract } from './source.js'
export { usagePortContract } from './usage-port.js'
