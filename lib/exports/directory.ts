import { folderObjects } from '../objects/folder.js'
import { checkOptions } from '../values/known-options.js'
import { type ExportOptions, objectExports, type StoredExports } from './objects.js'

/** Exports stored in a folder until their retention is over. */
export interface DirectoryExports extends StoredExports {}

const SWEEP_EVERY_MS = 5 * 60_000

/**
 * Stores exports in `folder`, which is created when missing, and removes each one `retentionMs` after it was written.
 * Several servers may share the folder; other files in it are left alone. The file system must have hard links.
 *
 * @param folder - Path of the folder; a relative one counts from the working directory.
 * @param options - How long files are kept.
 * @returns The port, which also removes single files and stops sweeping with `close()`. Its methods reject with the
 * error of the file system.
 * @throws TypeError when an option does not exist, or `retentionMs` is not a whole number of milliseconds above 0.
 *
 * @example
 * ```ts
 * const exports = directoryExports('data/exports', { retentionMs: 86_400_000 })
 * ```
 *
 * @example
 * A script that removes the file of one export.
 * ```ts
 * const exports = directoryExports('data/exports', { retentionMs: 86_400_000 })
 * await exports.remove('0b3b2b1e-6a54-4b0e-9d6f-6e2d3d0c9a11')
 * exports.close()
 * ```
 */
export function directoryExports(folder: string, options: ExportOptions): DirectoryExports {
  checkOptions('directoryExports', options, { retentionMs: true, clock: true })
  const objects = folderObjects(folder, 0o700)
  return objectExports(objects, options, { prefix: '', sweepEveryMs: SWEEP_EVERY_MS })
}
