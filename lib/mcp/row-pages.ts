import { JsonList } from '../call/json-parts.js'
import type { QueryParams } from '../call/params.js'
import type { Runnable } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import type { RowPage } from '../model.js'
import { rowsAsArrays } from '../values/rows-as-arrays.js'
import { PAGE_BYTES } from './texts.js'

/**
 * A method that returns pages of rows, for agents: its pages end at {@link PAGE_BYTES}, and have the columns once
 * and rows as arrays instead of objects that repeat the names.
 */
export function rowPages(method: Method): Runnable {
  return {
    ...method,
    async run(params, context) {
      const { include = [] } = params as QueryParams
      const pageBytes = Math.min(context.limits.pageBytes, PAGE_BYTES)
      const limited = { ...context, limits: { ...context.limits, pageBytes } }
      const asked = { ...(params as QueryParams), include: [...include, 'columns'] }
      const outcome = await method.run(asked, limited)
      const { items, columns, ...rest } = outcome.result as RowPage
      const rows =
        (items as unknown) instanceof JsonList
          ? new JsonList(rowsAsArrays((items as unknown as JsonList).members))
          : items
      return { ...outcome, result: { columns, rows, ...rest } }
    },
  }
}
