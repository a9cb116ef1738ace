import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Asset } from '../pages/assets.js'

/**
 * Where the build puts the script and the styles of the
 * query page, and what the script loads, see `bundle.mjs`.
 */
const BUILT = new URL('../page/', import.meta.url)
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}

/** The files load each other by name, so they share one folder, whose path contains a hash of all of them. */
const texts = readdirSync(BUILT)
  .sort()
  .map(name => ({ name, text: readFileSync(new URL(name, BUILT), 'utf8') }))
const folder = createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 16)

/** The files of the query page that the build has made. */
export const BUNDLED: readonly Asset[] = texts.map(({ name, text }) => ({
  path: pathOf(name),
  type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
  text,
}))

/** Path of one of these files by its name. */
export function pathOf(name: string): string {
  return `/assets/${folder}/${name}`
}
