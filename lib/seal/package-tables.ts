import type { Catalogue } from '../catalogue/catalogue.js'
import type { TableDefinition } from '../catalogue/definitions.js'
import { fileOf } from '../files/given-names.js'
import type { SealProblem } from '../model.js'
import type { FedTable } from '../sources/feed.js'
import type { SealTable } from './job.js'
import type { HostFile } from './process.js'

/** The tables of a package, and their files. */
export interface PackageTables {
  tables: SealTable[]
  files: HostFile[]
  /** What is wrong with the names of files. */
  problems: SealProblem[]
  /** Files of the folder that belong to no table. */
  leftOut: string[]
}

/** Describes the tables whose rows are in files, in the order of the catalogue. */
export function describeTables(
  catalogue: Catalogue,
  fed: readonly FedTable[],
): Pick<PackageTables, 'tables' | 'files'> {
  const [tables, files]: [SealTable[], HostFile[]] = [[], []]
  for (const definition of tablesOf(catalogue)) {
    const source = fed.find(({ table }) => table === definition.name)
    if (!source) continue
    tables.push(sealTable(definition, { ...source, told: source.types }, catalogue))
    files.push({ name: fileOf(definition.name, source.format), path: source.path })
  }
  return { tables, files }
}

/** The tables that a catalogue defines. */
export function tablesOf({ relations }: Catalogue): TableDefinition[] {
  return [...relations.values()].filter(relation => relation.kind === 'table')
}

function sealTable(
  definition: TableDefinition,
  source: Pick<SealTable, 'format' | 'isOrdered' | 'told'>,
  catalogue: Catalogue,
): SealTable {
  const { format, isOrdered, told } = source
  const { name, columns, required, unique, references, ranges, values, warnings, lossy } = definition
  const { hierarchy } = catalogue
  const targets = tablesOf(catalogue)
    .flatMap(table => Object.values(table.references))
    .flatMap(target => (target.startsWith(`${name}.`) ? [target.slice(name.length + 1)] : []))
  const ofTree =
    hierarchy?.table === name ? [hierarchy.key, hierarchy.parent, hierarchy.id, hierarchy.share] : []
  const named = [
    ...new Set([
      ...required,
      ...unique,
      ...[references, ranges, values].flatMap(checks => Object.keys(checks)),
      ...catalogue.rules.flatMap(rule => (rule.table === name ? rule.column : [])),
      ...targets,
      ...ofTree,
    ]),
  ]
  const isOfProject = reachesEntities(definition, catalogue)
  return {
    name,
    format,
    told,
    isOrdered,
    before: null,
    columns: columns ?? null,
    named,
    required,
    unique,
    references,
    ranges,
    values,
    isOfProject,
    warnings,
    lossy,
  }
}

/** Whether a table is that of the entities, or refers to it, perhaps by way of other tables. */
function reachesEntities(
  table: TableDefinition,
  catalogue: Catalogue,
  seen: readonly string[] = [],
): boolean {
  if (catalogue.hierarchy === null) return true // every table may have rows of several projects
  if (table.name === catalogue.hierarchy.table) return true
  const targets = Object.values(table.references).map(target => target.split('.')[0] ?? '')
  return targets
    .filter(name => !seen.includes(name))
    .map(name => catalogue.relations.get(name))
    .some(next => next?.kind === 'table' && reachesEntities(next, catalogue, [...seen, table.name]))
}
