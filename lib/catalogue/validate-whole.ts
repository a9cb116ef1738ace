import type { QueryExample } from '../model.js'
import { typeName } from './column-types.js'
import type { Hierarchy, RelationDefinition } from './definitions.js'
import type { CatalogueRule } from './rules.js'
import { checkFields, hasColumn, isObject, isTexts, type RelationMap } from './validate.js'

const FIELDS = ['hierarchy', 'relations', 'rules', 'examples', 'queries', 'pointOfView', 'rowLimits']

/** Throws a TypeError when the fields of the definition of a catalogue are none. */
export function checkDefinition(definition: { relations: unknown; pointOfView?: unknown }): void {
  if (!isObject(definition)) throw new TypeError('defineCatalogue takes { relations, … }')
  checkFields(definition, FIELDS, message => {
    throw new TypeError(`defineCatalogue: ${message}`)
  })
  const { relations, pointOfView = false } = definition
  if (!Array.isArray(relations))
    throw new TypeError('relations must be a list of what defineTable and defineFold return')
  if (typeof pointOfView !== 'boolean') throw new TypeError('pointOfView must be true or false')
}

/**
 * Throws a TypeError for a reference whose target is not defined. Tables refer to tables, since sealing compares
 * them; folds refer to any relation that callers see.
 */
export function checkReferences(relations: RelationMap): void {
  for (const relation of relations.values())
    for (const [column, target] of Object.entries(relation.references)) {
      const [name = '', targetColumn = ''] = target.split('.')
      const found = relations.get(name)
      const wrong = (message: string) => {
        throw new TypeError(
          `${relation.kind} "${relation.name}": references.${column} is "${target}", ${message}`,
        )
      }
      if (found === undefined || (relation.kind === 'table' && found.kind === 'fold'))
        wrong(`and "${name}" is not a ${relation.kind === 'table' ? 'table' : 'relation'} of the catalogue`)
      else if (found.kind === 'fold' && found.internal)
        wrong(`and "${name}" is an internal fold, which callers cannot name`)
      else if (!hasColumn(found, targetColumn))
        wrong(`and ${kindAndName(found)} has no column "${targetColumn}"`)
      const [own, other] = [relation.columns?.[column], found?.columns?.[targetColumn]]
      if (
        relation.kind === 'table' &&
        own !== undefined &&
        other !== undefined &&
        typeName(own) !== typeName(other)
      )
        wrong(`which is of type ${other}, and ${column} is of type ${own}: write the same type for both`)
    }
}

function kindAndName({ kind, name }: RelationDefinition): string {
  return `${kind} "${name}"`
}

const PLACES = ['key', 'parent', 'id', 'share'] as const

/**
 * Throws a TypeError when the table or a column of the hierarchy is not defined, or the table is optional.
 */
export function checkHierarchy(hierarchy: Hierarchy, relations: RelationMap): void {
  if (!isObject(hierarchy)) throw new TypeError('hierarchy must be { table, key, parent, id, share }')
  checkFields(hierarchy, ['table', ...PLACES], message => {
    throw new TypeError(`hierarchy: ${message}`)
  })
  const table = relations.get(hierarchy.table)
  if (table?.kind !== 'table')
    throw new TypeError(`hierarchy: "${hierarchy.table}" is not a table of the catalogue`)
  if (table.optional)
    throw new TypeError(`hierarchy: table "${table.name}" is optional, and every snapshot needs it`)
  for (const place of PLACES) {
    const column = hierarchy[place]
    if (typeof column !== 'string' || !hasColumn(table, column))
      throw new TypeError(`hierarchy: table "${table.name}" has no column "${column}" for ${place}`)
  }
}

const RULE_FIELDS = ['table', 'column', 'reads', 'wrong', 'message', 'isWarning']

/** Throws a TypeError for a rule about a table or column that is not defined, or without SQL or a message. */
export function checkRules(rules: readonly CatalogueRule[], relations: RelationMap): void {
  if (!Array.isArray(rules)) throw new TypeError('rules must be a list of rules: use defineRule')
  for (const [index, rule] of rules.entries()) {
    if (!isObject(rule)) throw new TypeError(`rules[${index}] is no rule: use defineRule`)
    checkFields(rule, RULE_FIELDS, message => {
      throw new TypeError(`rules[${index}]: ${message}`)
    })
    const { table: name, column, reads, wrong, message } = rule as CatalogueRule
    const table = relations.get(name)
    if (table?.kind !== 'table')
      throw new TypeError(`rules[${index}]: "${name}" is not a table of the catalogue`)
    if (!hasColumn(table, column))
      throw new TypeError(`rules[${index}]: table "${name}" has no column "${column}"`)
    if (!isTexts(reads)) throw new TypeError(`rules[${index}].reads must be a list of tables: use defineRule`)
    const unknown = reads.find((read: string) => relations.get(read)?.kind !== 'table')
    if (unknown !== undefined) throw new TypeError(`rules[${index}] reads "${unknown}", which is not a table`)
    for (const [place, text] of Object.entries({ wrong, message }))
      if (typeof text !== 'string' || text === '')
        throw new TypeError(`rules[${index}].${place} must be a string`)
  }
}

/** Throws a TypeError unless every example has a question and SQL. */
export function checkExamples(examples: readonly QueryExample[]): void {
  if (!Array.isArray(examples)) throw new TypeError('examples must be a list of questions with their sql')
  for (const [index, example] of examples.entries()) {
    if (typeof example?.question !== 'string' || typeof example.sql !== 'string')
      throw new TypeError(`examples[${index}] must have a question and sql`)
    checkFields(example, ['question', 'sql'], message => {
      throw new TypeError(`examples[${index}]: ${message}`)
    })
  }
}
