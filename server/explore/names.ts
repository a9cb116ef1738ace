import { isKeyword } from './tokens.js'

/** A name as a query has to write it: in quotes where it would not be read as one name without. */
export function nameOf(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) && !isKeyword(name) ? name : `"${name.replaceAll('"', '""')}"`
}
