import { readFileSync, statSync } from 'node:fs'
import { Refusal } from '../input/refusal.js'

/**
 * Reads a file of JSON that holds an object. Throws a Refusal that begins with `what`, the name of what the file says, and
 * shows `example`.
 */
export function membersOf(what: string, file: string, example: string): Readonly<Record<string, unknown>> {
  const name = `${what} in ${file}`
  const value = parsed(name, textOf(name, file))
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new Refusal(`${name} must be a JSON object such as ${example}`)
}

/** Of a regular file alone: a pipe may never end. */
function textOf(name: string, file: string): string {
  try {
    if (!statSync(file).isFile()) throw new Refusal(`${name} cannot be read: it is not a file`)
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (cause) {
    if (cause instanceof Refusal) throw cause
    throw new Refusal(`${name} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause })
  }
}

/** The message of a parser quotes the text, which may be that of another file, with secrets. */
function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const [, place = ''] = / at position \d+ (\(line \d+ column \d+\))/.exec((cause as Error).message) ?? []
    throw new Refusal(`${name} are not JSON${place && ` ${place}`}: correct the file`)
  }
}
