import { isKeyword } from './tokens.js'

/** A name as an SQL identifier, quoted if it has to be. */
export function nameOf(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) && !isKeyword(name) ? name : `"${name.replaceAll('"', '""')}"`
}
