import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { PATHS } from 'foldgate/internal'

/**
 * Where the build puts the script and the styles of the page, and what the script loads, see `bundle.mjs`.
 */
const BUILT = new URL('./page/', import.meta.url)
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}

/** A file of the page, which the build has made. */
interface BundledFile {
  path: string
  type: string
  text: string
}

/** The files of the page, with their paths below the mount point. */
export interface Bundled {
  files: readonly BundledFile[]
  /** Path of one of them by its name. */
  pathOf(name: string): string
}

let read: Bundled | undefined

/** Reads the files, once in a process. */
export function bundled(): Bundled {
  read ??= readFiles()
  return read
}

/** The files load each other by name, so they share one folder, whose path contains a hash of all of them. */
function readFiles(): Bundled {
  const texts = readdirSync(BUILT)
    .sort()
    .map(name => ({ name, text: readFileSync(new URL(name, BUILT), 'utf8') }))
  const folder = createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 16)
  const pathOf = (name: string) => `${PATHS.exploreAssets}${folder}/${name}`
  const files = texts.map(({ name, text }) => ({
    path: pathOf(name),
    type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    text,
  }))
  return { files, pathOf }
}
