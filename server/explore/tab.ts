/** What this tab remembers until it is closed. */
export type Remembered = 'key' | 'project' | 'sql' | 'entity' | 'ownership' | 'limit' | 'format'

/** The remembered value; null if there is none or the browser blocks storage. */
export function recall(what: Remembered): string | null {
  try {
    return sessionStorage.getItem(`foldgate ${what}`)
  } catch {
    return null
  }
}

/** Remembers a value for this tab; null forgets it. */
export function remember(what: Remembered, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(`foldgate ${what}`)
    else sessionStorage.setItem(`foldgate ${what}`, value)
  } catch {
    // The page works without storage, but starts anew after each reload.
  }
}
