import { readdir } from 'node:fs/promises'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { TableDefinition } from '../catalogue/definitions.js'
import type { SealProblem } from '../snapshots/manifest.js'
import type { SealTable } from './seal-job.js'

const FORMATS = ['parquet', 'csv'] as const

/** Finds the files of the tables of the catalogue in a folder, and what is wrong with their names. */
export async function findTables(catalogue: Catalogue, source: string) {
  const files = new Set(await readdir(source))
  const tables: SealTable[] = []
  const problems: SealProblem[] = []
  for (const definition of catalogue.relations.values()) {
    if (definition.kind !== 'table') continue
    const { name } = definition
    const found = FORMATS.filter(format => files.delete(`${name}.${format}`))
    const [format] = found
    if (found.length > 1)
      problems.push({ table: name, message: `there is both ${name}.parquet and ${name}.csv: keep one` })
    else if (format) tables.push(sealTable(definition, format, catalogue))
    else if (!definition.optional)
      problems.push({ table: name, message: `${name}.parquet or ${name}.csv is missing` })
  }
  return { tables, problems, leftOut: [...files].sort() }
}

function sealTable(definition: TableDefinition, format: 'csv' | 'parquet', catalogue: Catalogue): SealTable {
  const { name, columns, required, unique, references, ranges, values, warnings } = definition
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
    told: null,
    isOrdered: true,
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
