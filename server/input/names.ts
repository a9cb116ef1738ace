import { Refusal } from './refusal.js'

const MAX_NAME_CHARACTERS = 200
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

/** Returns a name, trimmed. Throws a Refusal when it is empty, too long or contains control characters. */
export function checkName(text: string, what: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const name = text.trim()
  if (name === '') throw new Refusal(`The name of the ${what} is empty: give one`)
  if (name.length > maxCharacters)
    throw new Refusal(`The name of the ${what} is longer than ${maxCharacters} characters: shorten it`)
  if (name.search(CONTROL) >= 0)
    throw new Refusal(`The name of the ${what} has a control character in it: leave it out`)
  return name
}

/** Quotes user input for a message: on one line, cut after 80 characters. */
export function quoted(text: string): string {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  // JSON escapes control characters only below U+0020; some terminals interpret the others.
  return shown.replace(CONTROL, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a string is a UUID in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)
}
