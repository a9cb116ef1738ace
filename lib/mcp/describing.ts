import type { DescribeParams } from '../call/params.js'
import { describedRelation } from '../catalogue/described.js'
import type { DescribedColumn } from '../catalogue-document.js'
import { AnalyticsError } from '../errors.js'
import type { Runnable } from '../methods/calls.js'
import { describeRelations, type KnownRelation } from '../methods/describe.js'
import type { CallContext, Method, MethodOutcome } from '../methods/method.js'
import { engineOf, readableProject } from '../methods/project.js'
import { readable } from '../methods/readable-catalogue.js'
import type { ProjectDescription, QueryExample } from '../model.js'
import { nearest } from '../values/nearest.js'
import { MOST_RELATIONS } from './texts.js'

/**
 * `projects/describe` for agents, which pay for every byte: all relations in short with the questions of the
 * worked queries, or the relations that the agent names with all that is known of them and these queries.
 */
export function describing(describe: Method, { relation, relations }: Record<string, unknown>): Runnable {
  return {
    ...describe,
    async run(params, context) {
      if (relation != null) throw wrong('Name the relation in "relations", which is a list.', 'relation')
      const names = namesIn(relations)
      if (names === null) return inShort(await describe.run(params, context), context)
      for (const name of names) checkNamed(context, name)
      return inFull(context, params as DescribeParams, names)
    },
  }
}

/** All relations with what a row of each is, which `projects/describe` leaves out for tables. */
function inShort(outcome: MethodOutcome, { catalogue }: CallContext): MethodOutcome {
  const { relations, examples, ...rest } = outcome.result as unknown as ProjectDescription
  const told = relations.map(({ name, kind }) => {
    const { about } = describedRelation(catalogue, name)
    return { name, kind, ...(about === undefined ? {} : { about }) }
  })
  const questions = examples.map(({ question }) => question)
  return { ...outcome, result: { relations: told, questions, ...rest } as never }
}

/** These relations with their columns, and the worked queries over them. */
async function inFull(
  context: CallContext,
  params: DescribeParams,
  names: readonly string[],
): Promise<MethodOutcome> {
  const include = [...(params.include ?? []), 'statistics' as const]
  const outcome = await describeRelations(context, { ...params, include }, names)
  const { relations, ...rest } = outcome.result as { relations: KnownRelation[] }
  const { engine } = engineOf(context, await readableProject(context, params.projectId))
  const examples = (await readable(context.caller, engine, engine.examples)).filter(example =>
    readsOne(example, names),
  )
  const told = { relations: meaningsOnce(relations), ...(examples.length > 0 ? { examples } : {}), ...rest }
  return { ...outcome, result: told as never }
}

/** Whether the statement of a worked query names one of these relations. */
function readsOne({ sql }: QueryExample, names: readonly string[]): boolean {
  const words = new Set(sql.toLowerCase().match(/\w+/g))
  return names.some(name => words.has(name))
}

type KnownColumn = NonNullable<KnownRelation['columns']>[number]

/** A column that means what a column of an earlier relation means: `as` names that relation. */
interface RepeatedColumn extends Pick<DescribedColumn, 'name' | 'type'> {
  as: string
}

/** The relations, whose columns have their meaning where it first occurs. */
function meaningsOnce(relations: readonly KnownRelation[]) {
  const seen = new Map<string, string>()
  const once = (relation: string, full: KnownColumn): KnownColumn | RepeatedColumn => {
    const column = inBrief(full)
    const { about, unit, values, references, ...rest } = column
    const meaning = JSON.stringify([rest.name, rest.type, about, unit, values, references])
    const as = seen.get(meaning)
    if (as === undefined) seen.set(meaning, relation)
    const repeated = as === undefined ? column : { ...rest, as }
    return JSON.stringify(repeated).length < JSON.stringify(column).length ? repeated : column
  }
  return relations.map(({ columns, ...relation }) => {
    const { unique, measures, notes, ...first } = relation
    const told = columns && { columns: columns.map(column => once(relation.name, column)) }
    return {
      ...first,
      ...told,
      ...(unique && { unique }),
      ...(measures && { measures }),
      ...(notes && { notes }),
    }
  })
}

/** A column with the statistics that its other members do not tell. */
function inBrief({ statistics, ...column }: KnownColumn): KnownColumn {
  if (!statistics) return column
  const { nulls, distinct, values, ...ends } = statistics
  const own = values && !column.values && typeof values[0] !== 'number' ? { values } : {}
  const told = { ...(nulls > 0 ? { nulls } : {}), ...own, ...ends, ...(values ? {} : { distinct }) }
  return Object.keys(told).length > 0 ? { ...column, statistics: told as typeof statistics } : column
}

/** The relations that an agent names; null when it names none. Models also send null or an empty list. */
function namesIn(relations: unknown): string[] | null {
  if (relations == null) return null
  if (!Array.isArray(relations) || relations.some(name => typeof name !== 'string'))
    throw wrong('The field "relations" must be a list of names.')
  if (relations.length > MOST_RELATIONS)
    throw wrong(
      `The field "relations" has more than ${MOST_RELATIONS} names. Describe the others in further calls.`,
    )
  return relations.length === 0 ? null : [...new Set(relations)]
}

function checkNamed({ catalogue }: CallContext, relation: string): void {
  const names = catalogue.summaries.map(({ name }) => name)
  if (names.includes(relation)) return
  const near = nearest(relation, names)
  const hint = near ? `Did you mean "${near}"?` : 'Describe the project without "relations" to see them all.'
  throw wrong(`The catalogue has no relation ${JSON.stringify(relation)}. ${hint}`)
}

function wrong(message: string, path = 'relations'): AnalyticsError {
  return new AnalyticsError('INVALID_PARAMS', message, { data: { path } })
}
