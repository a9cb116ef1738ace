import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OF_AUDIENCES } from '../house/documents.js'

/** Test files that run together, in one process. */
export interface Suite {
  name: string
  /** Files and folders (`folder/**`) below `test/`, or in `packages/` by their paths, and those of them that are left out. */
  files: readonly string[]
  except?: readonly string[]
  /** Runs while no other suite does, because it measures time or starts many processes. */
  alone?: true
  /**
   * Files and folders, relative to the root, for which it is there, besides its own files and what they import of the tests. It
   * is left out while nothing in the repository has changed since it was last green, which `recorded.json` tells, and for a
   * day while these have not. Without them, it always runs.
   */
  touchedBy?: readonly string[]
  /** Major version of the Node that runs it. Default: the one that runs the runner. */
  node?: number
  /** Variables that it sets, and one that it needs. */
  env?: Readonly<Record<string, string>>
  needs?: string
}

/** What `npm test` leaves to checks, besides {@link LONG} and {@link LONG_OF_ENGINE}. */
export const REST = ['check/**', ...OF_AUDIENCES.map(name => `packages/${name}/test/check/**`)]

/** Files that take seconds each, most of them since they start many processes or commands: they run in checks. */
export const LONG_OF_ENGINE = [
  ...['append', 'budgets', 'check-catalogue', 'check-catalogue-ends', 'checked-at-start', 'kept-plans', 'killed'],
  ...['older-snapshots', 'pool', 'replaced', 'residents', 'results', 'seal-columns', 'seal-losses', 'seal-many'],
  ...['seal-marks', 'seal-parquet', 'seal-sources', 'seal-stored', 'seal-text', 'sealed-tables', 'sealer-catalogue'],
  ...['source-versions', 'spares', 'tenant-versions', 'ties', 'trino-computed'],
].map(name => `engine/${name}.test.ts`)
export const LONG = [
  ...['conformance/broken-statements', 'conformance/sql', 'unit/guard-scopes', 'unit/guard-shapes'],
  ...[
    'audit',
    'cli-refusals',
    'operation',
    'quota',
    'removal',
    'removing',
    'doctor',
    'serve',
    'served-usage',
    'upgrades',
  ].map(name => `server/${name}`),
  ...['agents/evaluate', 'agents/play', 'server/usage-retention', 'unit/guard-generated', 'unit/guard-together'],
]
  .map(name => `${name}.test.ts`)
  .concat('conformance/row-limits**')

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** All test files: those of packages by their paths, the others relative to `test/`. */
export function allFiles(): string[] {
  const below = (folder: string) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  const beside = OF_AUDIENCES.map(name => `packages/${name}/test/`).filter(folder => existsSync(join(ROOT, folder)))
  const files = [...below('test'), ...beside.flatMap(folder => below(folder).map(name => folder + name))]
  return files.filter(name => name.endsWith('.test.ts'))
}

/** Test files of a suite among all of them, in the order of their names. */
export function filesOf({ files, except = [] }: Pick<Suite, 'files' | 'except'>, all = allFiles()): string[] {
  const isIn = (file: string, patterns: readonly string[]) =>
    patterns.some(pattern => file === pattern || (pattern.endsWith('**') && file.startsWith(pattern.slice(0, -2))))
  return all.filter(file => isIn(file, files) && !isIn(file, except)).sort()
}

/** The path of a test file, see {@link filesOf}. */
export const pathOf = (file: string) => (file.startsWith('packages/') ? file : join('test', file))
