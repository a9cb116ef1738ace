/** Classes that an accepted statement may fail with. UNAVAILABLE is not one: these calls barely wait for each other. */
const TOLD = new Set(['INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'])
/** Longest message, in characters. */
const MOST_MESSAGE = 4_096

/** Describes what is wrong with an answer to projects/query over REST; null if nothing is. */
export function faultOf(status: number, text: string, columns?: readonly string[]): string | null {
  const shown = `${status} ${text.slice(0, 300)}`
  let answer: Record<string, unknown>
  try {
    answer = JSON.parse(text) as Record<string, unknown>
  } catch {
    return `no JSON: ${shown}`
  }
  if (status !== 200) {
    const { class: given, code, message, data: _, ...more } = answer
    const isTold = TOLD.has(String(given)) && typeof code === 'number' && Object.keys(more).length === 0
    return isTold && typeof message === 'string' && message.length <= MOST_MESSAGE ? null : shown
  }
  const { result, ...more } = answer as { result: Record<string, unknown> }
  const { items, nextCursor, ...others } = result as { items: object[]; nextCursor?: string }
  const isPage = Object.keys(more).length === 0 && Object.keys(others).length === 0 && Array.isArray(items)
  if (!isPage || !(nextCursor === undefined || /^[\w-]+\.[\w-]+$/.test(nextCursor))) return shown
  const names = JSON.stringify(columns ?? Object.keys(items[0] ?? {}))
  return items.every(row => JSON.stringify(Object.keys(row)) === names) ? null : shown
}
