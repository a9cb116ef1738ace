import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { TableDefinition } from '../catalogue/definitions.js'
import { fileOf } from '../files/given-names.js'
import type { SealProblem } from '../model.js'
import type { FedTable } from '../sources/feed.js'
import type { SealTable } from './job.js'
import type { HostFile } from './process.js'

const FORMATS = ['parquet', 'csv'] as const

/** The tables of a package, and their files. */
export interface PackageTables {
  tables: SealTable[]
  files: HostFile[]
  /** What is wrong with the names of files. */
  problems: SealProblem[]
  /** Files of the folder that belong to no table. */
  leftOut: string[]
}

/** Finds the files of the tables of the catalogue, in a folder if there is one, or made by sources. */
export async function findTables(
  catalogue: Catalogue,
  folder: string | undefined,
  fed: readonly FedTable[] = [],
): Promise<PackageTables> {
  const names = new Set(folder === undefined ? [] : await readdir(folder))
  const [tables, files, problems]: [SealTable[], HostFile[], SealProblem[]] = [[], [], []]
  for (const definition of catalogue.relations.values()) {
    if (definition.kind !== 'table') continue
    const { name } = definition
    const source = fed.find(({ table }) => table === name)
    const found = FORMATS.filter(format => names.delete(`${name}.${format}`))
    const [format] = found
    if (found.length > 1)
      problems.push({ table: name, message: `there is both ${name}.parquet and ${name}.csv: keep one` })
    else if (source && format)
      problems.push({ table: name, message: `there is a source of it, and ${name}.${format} too: keep one` })
    else if (source) {
      tables.push(sealTable(definition, { ...source, told: source.types }, catalogue))
      files.push({ name: fileOf(name, source.format), path: source.path })
    } else if (format) {
      tables.push(sealTable(definition, { format, isOrdered: true, told: null }, catalogue))
      files.push({ name: fileOf(name, format), path: join(folder as string, `${name}.${format}`) })
    } else if (!definition.optional) problems.push({ table: name, message: missing(name, folder) })
  }
  return { tables, files, problems, leftOut: [...names].sort() }
}

function missing(name: string, folder: string | undefined): string {
  return folder === undefined ? 'there is no source of it' : `${name}.parquet or ${name}.csv is missing`
}

function sealTable(
  definition: TableDefinition,
  source: Pick<SealTable, 'format' | 'isOrdered' | 'told'>,
  catalogue: Catalogue,
): SealTable {
  const { format, isOrdered, told } = source
  const { name, columns, required, unique, references, ranges, values, warnings, lossy } = definition
  const { hierarchy } = catalogue
  const targets = [...catalogue.relations.values()]
    .flatMap(relation => (relation.kind === 'table' ? Object.values(relation.references) : []))
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
