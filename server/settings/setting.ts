import type { Parser } from './parsers.js'

/** A limit of `serve`: a member of the file that `--limits` names. */
export interface Limit<Value = unknown> {
  /** Name in the file. */
  name: string
  parser: Parser<Value>
  /** As a user would type it; null when there is none. */
  default: string | null
  about: string
}

/**
 * A setting of `serve`: the flag `--<flag>`, which overrides its environment
 * variable, which overrides the default.
 */
export interface Setting<Value = unknown> extends Omit<Limit<Value>, 'name'> {
  flag: string
  variable: string
}

/** What a package adds to the settings. */
export interface SettingAddition {
  /** Flags of `serve`, and variables of the environment. */
  settings: readonly Setting[]
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

/** Creates a limit; without a default, it is null when the file does not have it. */
export function limit<Value>(
  name: string,
  parser: Parser<Value>,
  about: string,
  byDefault: string,
): Limit<Value>
export function limit<Value>(name: string, parser: Parser<Value>, about: string): Limit<Value | null>
export function limit<Value>(
  name: string,
  parser: Parser<Value>,
  about: string,
  byDefault?: string,
): Limit<Value | null> {
  return { name, parser, default: byDefault ?? null, about }
}
