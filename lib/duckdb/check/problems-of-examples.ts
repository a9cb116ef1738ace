import type { Catalogue } from '../../catalogue/catalogue.js'
import type { FoundProblem } from '../../catalogue/catalogue-problem.js'
import { AnalyticsError } from '../../errors.js'
import { JobFailed } from '../../flow/parent.js'
import type { JobFailure } from '../jobs.js'
import type { PlannedRelation } from '../plan.js'
import type { Trial } from './trial.js'

const MOST_SHOWN = 60

/**
 * Runs every example as the statement of a caller, and tells which of them fail. Examples that read a relation that
 * could not be built are left out: the relation has a problem of its own already.
 */
export async function problemsOfExamples(
  trial: Trial,
  { examples }: Catalogue,
  { planned, sound }: { planned: ReadonlyMap<string, PlannedRelation>; sound: ReadonlyMap<string, unknown> },
): Promise<FoundProblem[]> {
  const problems: FoundProblem[] = []
  const asker = { organization: '', ownerId: '', signal: new AbortController().signal }
  for (const [at, { question, sql }] of examples.entries()) {
    const place = `example ${at + 1} ("${clip(question)}")`
    try {
      const statement = await trial.guard.check(sql, asker)
      const { relations } = statement
      const read = relations.flatMap(name => (sound.has(name) ? (planned.get(name) ?? []) : []))
      if (read.length === relations.length) await trial.rows(statement.sql, read, 1)
    } catch (cause) {
      problems.push({ kind: 'example', place, message: refusalOf(cause) })
    }
  }
  return problems
}

/** Why a statement of the catalogue fails. Rethrows what tells nothing about the statement. */
export function refusalOf(cause: unknown): string {
  if (cause instanceof AnalyticsError && cause.class === 'INVALID_QUERY')
    return `the check of statements refuses it: ${cause.message}`
  if (!(cause instanceof JobFailed)) throw cause
  const { kind, text } = cause.failure as JobFailure
  if (kind === 'disk' || kind === 'fault' || kind === 'view') throw cause
  return `it fails: ${text.replace(/\s+/g, ' ')}`
}

function clip(question: string): string {
  return question.length > MOST_SHOWN ? `${question.slice(0, MOST_SHOWN)}…` : question
}
