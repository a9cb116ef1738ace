import { Refusal } from './refusal.js'

const MAX_NAME_CHARACTERS = 200
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

/** A name that a person gave, trimmed; empty, too long or with control characters in it is a refusal. */
export function checkName(text: string, what: string): string {
  const name = text.trim()
  if (name === '') throw new Refusal(`The name of the ${what} is empty: give one`)
  if (name.length > MAX_NAME_CHARACTERS)
    throw new Refusal(`The name of the ${what} is longer than ${MAX_NAME_CHARACTERS} characters: shorten it`)
  if (name.search(CONTROL) >= 0)
    throw new Refusal(`The name of the ${what} has a control character in it: leave it out`)
  return name
}

/** What a user typed, as a message shows it: quoted, on one line, not too long. */
export function quoted(text: string): string {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  // JSON leaves those beyond ASCII as they are; some terminals obey them.
  return shown.replace(CONTROL, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
