import { JsonList } from '../call/json-parts.js'
import type { QueryParams } from '../call/params.js'
import type { Runnable } from '../methods/calls.js'
import type { MethodOutcome } from '../methods/method.js'
import type { RowPage } from '../model.js'
import { rowsAsArrays } from '../values/json-reader.js'
import { PAGE_BYTES } from './texts.js'

/**
 * A method that returns pages of rows, for agents: its pages end at {@link PAGE_BYTES}, and have the columns once
 * and rows as arrays instead of objects that repeat the names. A first page that is not all says of how many
 * rows it is, since models take what they read for everything.
 */
export function rowPages(method: Runnable): Runnable {
  return {
    ...method,
    async run(params, context) {
      const { include = [], page } = params as QueryParams
      const pageBytes = Math.min(context.limits.pageBytes, PAGE_BYTES)
      const limited = { ...context, limits: { ...context.limits, pageBytes } }
      const isFirst = page?.cursor == null
      const added = ['columns' as const, 'hints' as const, ...(isFirst ? (['total'] as const) : [])]
      const outcome = await method.run(
        { ...(params as QueryParams), include: [...include, ...added] },
        limited,
      )
      return include.includes('total') ? shaped(outcome, isFirst) : withoutTotal(shaped(outcome, isFirst))
    },
  }
}

/** The result with columns once, and with everything but its end before the rows, so that models read it first. */
function shaped(outcome: MethodOutcome, isFirst: boolean): MethodOutcome {
  const { items, columns, nextCursor, total, ...told } = outcome.result as RowPage
  const first = `first ${outcome.rows}${total === undefined ? '; more follow' : ` of ${total}`}`
  const shown = isFirst && nextCursor !== undefined ? { shown: first } : {}
  const rows =
    (items as unknown) instanceof JsonList
      ? new JsonList(rowsAsArrays((items as unknown as JsonList).members))
      : items
  return { ...outcome, result: { columns, ...shown, ...told, rows, nextCursor, total } as never }
}

/** The outcome for an agent that has not asked for the total, and need not know that it could not be counted. */
function withoutTotal({ warnings = [], ...outcome }: MethodOutcome): MethodOutcome {
  const { total: _, ...result } = outcome.result as Partial<RowPage>
  const others = warnings.filter(({ path }) => path !== 'include')
  return { ...outcome, result: result as never, ...(others.length > 0 ? { warnings: others } : {}) }
}
