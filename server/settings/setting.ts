import type { Parser } from './parsers.js'

/**
 * A setting of `serve`: the flag `--<flag>`, which overrides its environment
 * variable, which overrides the default.
 */
export interface Setting<Value = unknown> {
  flag: string
  variable: string
  parser: Parser<Value>
  /** As a user would type it; null when there is none. */
  default: string | null
  about: string
}

/** Creates a setting; without a default, it is null when it is not set. */
export function setting<Value>(
  flag: string,
  parser: Parser<Value>,
  about: string,
  byDefault: string,
): Setting<Value>
export function setting<Value>(flag: string, parser: Parser<Value>, about: string): Setting<Value | null>
export function setting<Value>(
  flag: string,
  parser: Parser<Value>,
  about: string,
  byDefault?: string,
): Setting<Value | null> {
  const variable = `FOLDGATE_${flag.toUpperCase().replaceAll('-', '_')}`
  return { flag, variable, parser, default: byDefault ?? null, about }
}
