import { type Catalogue, POINT_OF_VIEW } from '../../catalogue/catalogue.js'
import { defineFold } from '../../catalogue/define.js'
import type { RelationDefinition } from '../../catalogue/definitions.js'
import type { CatalogueRule } from '../../catalogue/rules.js'
import type { PointOfView } from '../../engine/port.js'
import { FORMAT_VERSION } from '../../snapshots/manifest.js'
import { type PlannedRelation, Planner } from '../plan.js'

/** The relations and rules of a catalogue that can be built over tables without rows. */
interface EmptyRelations {
  /** Relations by their names, and rules by those that {@link ruleName} gives them, in the order of definition. */
  planned: ReadonlyMap<string, PlannedRelation>
  /** Tables without declared columns: what reads them cannot be built without a snapshot. */
  untyped: readonly string[]
}

/** The name under which a rule is built; no relation of a catalogue can have it. */
export function ruleName(index: number): string {
  return `rule ${index + 1}`
}

/** The tables of a rule that its SQL can name. */
export function readsOfRule({ table, reads }: CatalogueRule): string[] {
  return [...new Set([table, ...reads])]
}

/** Plans the relations and the rules of a catalogue over tables without rows. */
export function emptyRelations(catalogue: Catalogue): EmptyRelations {
  const { hierarchy } = catalogue
  const definitions = new Map<string, RelationDefinition>()
  for (const relation of catalogue.relations.values())
    definitions.set(relation.name, relation.kind === 'table' ? { ...relation, optional: true } : relation)
  for (const [index, rule] of catalogue.rules.entries())
    definitions.set(ruleName(index), ruleAsFold(rule, ruleName(index)))
  const planner = new Planner({ ...catalogue, relations: definitions }, NOWHERE)
  const planned = new Map<string, PlannedRelation>()
  const untyped: string[] = []
  const tree = hierarchy && definitions.get(hierarchy.table)
  if (tree?.columns) planned.set(POINT_OF_VIEW, planner.plan(POINT_OF_VIEW))
  for (const [name, relation] of definitions) {
    const isKnown =
      relation.kind === 'table'
        ? relation.columns !== undefined
        : relation.reads.every(read => planned.has(read))
    if (isKnown) planned.set(name, planner.plan(name))
    else if (relation.kind === 'table') untyped.push(name)
  }
  return { planned, untyped }
}

/** As sealing runs it: its first column as text, once per value. */
function ruleAsFold(rule: CatalogueRule, name: string): RelationDefinition {
  const sql = `SELECT CAST(value AS VARCHAR) AS value, count(*) AS rows FROM (${rule.wrong}) AS wrong(value) GROUP BY value`
  return defineFold({ name, about: rule.message, reads: readsOfRule(rule), sql })
}

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** A snapshot without tables. */
const NOWHERE: PointOfView = {
  snapshot: {
    projectId: NOBODY,
    snapshotId: 'empty',
    manifest: {
      formatVersion: FORMAT_VERSION,
      snapshotId: 'empty',
      projectId: NOBODY,
      assessmentId: '',
      sealedAt: '',
      rootId: NOBODY,
      tables: [],
    },
    hasEntity: () => false,
    open: () => Promise.reject(new Error('a snapshot without tables has no folder')),
  },
  organization: '',
  entityId: null,
  ownershipView: 'net',
}
