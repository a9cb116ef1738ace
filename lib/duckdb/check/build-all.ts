import { JobFailed } from '../../flow/parent.js'
import type { Column } from '../../model.js'
import type { JobFailure } from '../jobs.js'
import { closure, type PlannedRelation } from '../plan.js'
import type { Trial } from './trial.js'

/** The relations that could be built, and why others could not. */
export interface AllBuilt {
  columns: Map<string, readonly Column[]>
  /** Why the engine refuses relations, by their names, without the relations that read a refused one. */
  refused: Map<string, string>
}

/**
 * Builds all at once, and again without what is refused and its readers; one by one when that does not tell which
 * one fails. `isWritten` tells whether the SQL of a relation is the catalogue's own.
 */
export async function buildAll(
  trial: Trial,
  relations: readonly PlannedRelation[],
  isWritten: (name: string) => boolean,
): Promise<AllBuilt> {
  const refused = new Map<string, string>()
  const reading = (aliases: ReadonlySet<string>) =>
    relations.filter(relation => ![...closure([relation]).keys()].some(alias => aliases.has(alias)))
  const wrong = new Set<string>()
  for (let wanted = relations; ; wanted = reading(wrong)) {
    try {
      return { columns: await trial.build(wanted), refused }
    } catch (cause) {
      if (!(cause instanceof JobFailed)) throw cause
      const { kind, text } = cause.failure as JobFailure
      const culprit = relations.find(({ alias }) => kind === 'relation' && alias === text)
      if (!culprit) return buildInTurn(trial, relations, isWritten)
      refused.set(culprit.name, messageOf(cause.failure as JobFailure))
      wrong.add(culprit.alias)
    }
  }
}

/** For failures that do not name their relation, such as one of memory. */
async function buildInTurn(
  trial: Trial,
  relations: readonly PlannedRelation[],
  isWritten: (name: string) => boolean,
): Promise<AllBuilt> {
  const columns = new Map<string, readonly Column[]>()
  const refused = new Map<string, string>()
  for (const relation of relations) {
    if ([...closure([relation]).values()].some(({ name }) => refused.has(name))) continue
    try {
      for (const [name, found] of await trial.build([relation])) columns.set(name, found)
    } catch (cause) {
      if (!(cause instanceof JobFailed)) throw cause
      const { kind, isFull } = cause.failure as JobFailure
      // A full disk says nothing about the SQL, and neither does a table that cannot be built.
      if (isFull || (isOutside(kind) && !isWritten(relation.name))) throw cause
      refused.set(relation.name, messageOf(cause.failure as JobFailure))
    }
  }
  return { columns, refused }
}

/** What SQL meets that leaves its tables: files, settings, other programs. */
function isOutside(kind: JobFailure['kind']): boolean {
  return kind === 'disk' || kind === 'fault'
}

function messageOf({ kind, text, cause, atBinding }: JobFailure): string {
  if (isOutside(kind)) return 'its SQL reads a file, or does something else that the engine does not allow'
  if (kind !== 'relation') return `the engine cannot run its SQL: ${onOneLine(text)}`
  const said = onOneLine(cause ?? text)
  return atBinding ? `the engine refuses its SQL: ${said}` : `its SQL fails over tables without rows: ${said}`
}

const MOST_SAID = 300

function onOneLine(text: string): string {
  const said = text.replace(/\s+/g, ' ').replace(/\.$/, '')
  return said.length > MOST_SAID ? `${said.slice(0, MOST_SAID)}…` : said
}
