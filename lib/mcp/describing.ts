import type { DescribeParams } from '../call/params.js'
import { describedRelation } from '../catalogue/described.js'
import { AnalyticsError } from '../errors.js'
import type { Runnable } from '../methods/calls.js'
import { checkRelation, describeRelations } from '../methods/describe.js'
import type { CallContext, Method, MethodOutcome } from '../methods/method.js'
import type { ProjectDescription } from '../model.js'
import { nearest } from '../values/nearest.js'
import { MOST_RELATIONS } from './texts.js'

/** `projects/describe`, but with these relations alone and all that is known of them, if the agent names some. */
export function describing(describe: Method, relations: unknown): Runnable {
  return {
    ...describe,
    async run(params, context) {
      const names = namesIn(relations)
      if (names === null) return withMeanings(await describe.run(params, context), context)
      const asked = params as DescribeParams
      const { relation } = asked
      if (relation != null) checkRelation(context, relation, 'relation')
      for (const name of names) checkNamed(context, name)
      return describeRelations(context, asked, names)
    },
  }
}

/** Adds what tables hold, which `projects/describe` leaves out. */
function withMeanings(outcome: MethodOutcome, { catalogue }: CallContext): MethodOutcome {
  const { relations, ...rest } = outcome.result as unknown as ProjectDescription
  const told = relations.map(({ name, kind }) => {
    const { about } = describedRelation(catalogue, name)
    return { name, kind, ...(about === undefined ? {} : { about }) }
  })
  return { ...outcome, result: { relations: told, ...rest } as never }
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

function wrong(message: string): AnalyticsError {
  return new AnalyticsError('INVALID_PARAMS', message, { data: { path: 'relations' } })
}
