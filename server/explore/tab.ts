/** What this tab remembers until it is closed. */
export type Remembered = 'key' | 'project' | 'sql' | 'entity' | 'ownership' | 'limit'

/** What was remembered last; null when nothing was, or this browser keeps nothing. */
export function recall(what: Remembered): string | null {
  try {
    return sessionStorage.getItem(`foldgate ${what}`)
  } catch {
    return null
  }
}

/** Remembers it for this tab; null forgets it. */
export function remember(what: Remembered, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(`foldgate ${what}`)
    else sessionStorage.setItem(`foldgate ${what}`, value)
  } catch {
    // The page works without, it only starts anew when it is loaded again.
  }
}
