/** Those rules. */
export const RULES = [
  'text',
  'syntax',
  'one-select',
  'relation',
  'function',
  'type',
  'construct',
  'pattern',
  'size',
  'complexity',
] as const

/** The rules that a statement can break, as callers see them in `data.rule`. */
export type GuardRule = (typeof RULES)[number]

/** Rules that a statement can break only when it runs; `rule` in the data of its INVALID_QUERY. */
export type RunRule = 'engine' | 'row-size' | 'volatile'

/** Why a statement is refused; `offset` counts UTF-8 bytes of the caller's statement. */
export interface RefusalDetail {
  rule: GuardRule
  message: string
  name?: string
  offset?: number
  hint?: string
}

/** Thrown by the check of a statement that breaks a rule. */
export class Refusal extends Error {
  readonly detail: RefusalDetail

  constructor(detail: RefusalDetail) {
    super(detail.message)
    this.detail = detail
  }
}

/** The part of the walk that the checks of single nodes use. */
export interface Reader {
  /** Functions that the statement may call. */
  readonly functions: ReadonlySet<string>
  /** Makes a refusal that points at the node being read. */
  refuse(rule: GuardRule, message: string, more?: { name?: string; hint?: string }): Refusal
  markVolatile(): void
}

/** Shortens a name for a message. */
export function clip(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}

/** The hint for a statement that is too large. */
export const SPLIT = { hint: 'Simplify the statement, or ask in several.' }
