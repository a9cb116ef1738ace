import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Catalogue, defineCatalogue } from 'foldgate'
import reference from '#assessed/catalogue.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { reasonOf } from '../operation/event-log.js'

/** The catalogue that comes with the server; no other file imports it. */
export { reference }

/** A module that awaits something at its top level, such as a database, may never finish. */
const LOADING_MS = 20_000
const WRITE = 'write "export default defineCatalogue({ … })" with defineCatalogue of foldgate'

/**
 * Returns the catalogue that an ES module exports as its default; the reference catalogue without a path.
 * Throws a Refusal of one line when the module is missing, fails or does not end to load, or exports
 * something else.
 */
export async function loadCatalogue(path: string | null): Promise<Catalogue> {
  if (path === null) return reference
  const name = `The catalogue ${quoted(path)}`
  const found = await stat(resolve(path)).catch(() => null)
  if (!found?.isFile())
    throw new Refusal(
      `${name} is ${found ? 'no file' : 'not there'}: name an ES module, such as ./catalogue.js`,
    )
  const loaded = (await importWithin(name, pathToFileURL(resolve(path)).href)) as { default?: unknown }
  if (loaded.default === undefined) throw new Refusal(`${name} has no default export: ${WRITE}`)
  try {
    return defined(loaded.default)
  } catch (cause) {
    const why = cause instanceof TypeError ? ` (${reasonOf(cause)})` : ''
    throw new Refusal(`${name} exports something else than a catalogue${why}: ${WRITE}`, { cause })
  }
}

/** Whether this is the catalogue that comes with the server. */
export function isReference(catalogue: Catalogue): boolean {
  return catalogue === reference
}

async function importWithin(name: string, url: string): Promise<unknown> {
  const waiting = new AbortController()
  try {
    const loaded = await Promise.race([import(url), setTimeout(LOADING_MS, null, { signal: waiting.signal })])
    if (loaded !== null) return loaded
  } catch (cause) {
    const place = placeOf(cause, url)
    const said = place === null ? reasonOf(cause) : `${reasonOf(cause)} (${place})`
    throw new Refusal(`${name} cannot be loaded: ${said}. ${remedyFor(cause, place)}`, { cause })
  } finally {
    waiting.abort()
  }
  throw new Refusal(
    `${name} has not loaded within ${LOADING_MS / 1000} s: leave out what it awaits at its top level`,
  )
}

/** The file of the module, or beside it, and its line that failed; null where Node does not tell it. */
function placeOf(cause: unknown, url: string): string | null {
  const { stack = '' } = (cause ?? {}) as Partial<Error>
  const folder = url.slice(0, url.lastIndexOf('/') + 1)
  const from = stack.indexOf(folder)
  return from < 0 ? null : (/^[^\s:)]+:\d+/.exec(stack.slice(from + folder.length))?.[0] ?? null)
}

function remedyFor(cause: unknown, place: string | null): string {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  if (code === 'ERR_MODULE_NOT_FOUND')
    return 'Install what it imports beside it, and write the endings of its files'
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return 'Name a file of JavaScript, ending with .js or .mjs'
  if (cause instanceof SyntaxError && place === null)
    return '"node --check" with each of its files says where'
  return 'Correct it, then run the same command again'
}

/**
 * Defines a catalogue anew. The module may have imported another copy of the library, of another version, so
 * its class and its checks say nothing.
 */
function defined(given: unknown): Catalogue {
  const { hierarchy, relations, rules, summaries, examples, queries, rowLimits } = (given ??
    {}) as Partial<Catalogue>
  if (!(relations instanceof Map) || !Array.isArray(summaries)) throw new Error('no catalogue')
  return defineCatalogue({
    hierarchy: hierarchy ?? null,
    relations: [...(relations as Catalogue['relations']).values()],
    ...(rules ? { rules } : {}),
    ...(examples ? { examples } : {}),
    ...(queries ? { queries } : {}),
    ...(rowLimits ? { rowLimits } : {}),
    pointOfView: summaries.some(({ name }) => name === 'point_of_view'),
  })
}
