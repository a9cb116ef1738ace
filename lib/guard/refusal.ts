/** The rules that a statement can break, as callers see them in `data.rule`. */
export type GuardRule =
  | 'text'
  | 'syntax'
  | 'one-select'
  | 'relation'
  | 'function'
  | 'type'
  | 'construct'
  | 'pattern'
  | 'size'
  | 'complexity'

/** Why a statement is refused; `offset` counts UTF-8 bytes of the caller's text. */
export interface RefusalDetail {
  rule: GuardRule
  message: string
  name?: string
  offset?: number
  hint?: string
}

/** Thrown while a statement is checked. */
export class Refusal extends Error {
  readonly detail: RefusalDetail

  constructor(detail: RefusalDetail) {
    super(detail.message)
    this.detail = detail
  }
}

/** What the check of one node needs of the walk around it. */
export interface Reader {
  /** A refusal that points at the node being read. */
  refuse(rule: GuardRule, message: string, more?: { name?: string; hint?: string }): Refusal
  markVolatile(): void
}

/** What the guard says of a text. */
export type Verdict =
  | {
      ok: true
      /** Relations of the catalogue that the statement names. */
      relations: string[]
      /** Its rows may differ from run to run. */
      volatile: boolean
      /** Length in UTF-16 units of the statement itself, without a trailing semicolon and what follows it. */
      length: number
    }
  | { ok: false; rule: GuardRule; message: string; name?: string; line?: number; column?: number; hint?: string }

/** A name as a message shows it. */
export function clip(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}

/** What to do about a statement that is too large. */
export const SPLIT = { hint: 'Simplify the statement, or ask in several.' }
