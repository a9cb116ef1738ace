import type { JobFailure } from '../jobs.js'

/** A failure whose kind is known where it happens. */
export class KnownFailure extends Error {
  readonly failure: JobFailure

  constructor(failure: JobFailure) {
    super(failure.text)
    this.failure = failure
  }
}

/** Kinds of exception that the caller's own text causes. */
const OF_THE_QUERY = new Set([
  'Parser',
  'Syntax',
  'Binder',
  'Catalog',
  'Conversion',
  'Out of Range',
  'Invalid Input',
  'Invalid type',
  'Invalid Type',
  'Mismatch Type',
  'Not implemented',
  'Constraint',
  'Serialization',
  'Parameter Not Allowed',
])

/** Advice of the engine that no caller can follow, or that names its settings. */
const ADVICE =
  /\n+\s*(Possible solutions|See also|Use "SET|Set |LINE \d|Please try installing)[\s\S]*$|\(?\bSET \w+[^)]*\)?/g
const NO_SPACE = /no space left|disk full|quota exceeded/i
const MAX_TEXT = 600

/** The engine's exception as a failure of a kind. */
export function describeFailure(cause: unknown): JobFailure {
  if (cause instanceof KnownFailure) return cause.failure
  const message = cause instanceof Error ? cause.message : String(cause)
  const { type, text, position } = readException(message)
  if (type === 'INTERRUPT') return { kind: 'interrupted', text: 'The query was stopped.' }
  if (type === 'Out of Memory') return { kind: 'memory', text: 'The query ran out of memory.', cause: message }
  if (type === 'IO' && NO_SPACE.test(text)) return { kind: 'disk', text: 'The disk is full.', cause: message }
  if (type === null || !OF_THE_QUERY.has(type)) return { kind: 'fault', text: 'The engine failed.', cause: message }
  const shown = text.replace(ADVICE, '').trim().slice(0, MAX_TEXT)
  return { kind: 'query', text: shown, ...(position === undefined ? {} : { offset: position }), cause: message }
}

/** The engine reports JSON, for some exceptions behind a prefix, for others a prefix alone. */
function readException(message: string): { type: string | null; text: string; position?: number } {
  const prefix = /^([A-Z][A-Za-z ]*?) Error: /.exec(message)
  const brace = message.indexOf('{')
  if (brace === 0 || (prefix && brace === prefix[0].length)) {
    try {
      const json = JSON.parse(message.slice(brace)) as Record<string, string>
      const position = Number(json.position)
      return {
        type: json.exception_type ?? null,
        text: json.exception_message ?? '',
        ...(json.position !== undefined && Number.isSafeInteger(position) ? { position } : {}),
      }
    } catch {
      // Not JSON after all: the prefix tells.
    }
  }
  return { type: prefix?.[1] ?? null, text: prefix ? message.slice(prefix[0].length) : message }
}
