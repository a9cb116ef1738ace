import { CLAIM } from '../engine/claim.js'
import type { FromJson } from '../flow/messages.js'
import type { Infer } from '../json-schema.js'
import {
  choice,
  count,
  either,
  flag,
  integer,
  listOf,
  object,
  optional,
  type Schema,
  text,
} from '../schema.js'
import { RULES } from './refusal.js'

const place = (description: string) => optional(integer(1, Number.MAX_SAFE_INTEGER, description))

const accepted = object(
  {
    ok: choice([true], 'That it is accepted.'),
    relations: listOf(text('Its name.'), 'Relations of the catalogue that the statement names.'),
    parameters: listOf(text('Its name.'), 'Names of its parameters, as it writes them first.'),
    volatile: flag('Whether its rows may differ from run to run.'),
    anyNumbers: flag('Whether the verdict is the same for other numbers in a statement of its shape.'),
    claims: listOf(CLAIM, 'What it does that may be wrong for what its relations hold.'),
    length: count(
      'Length in UTF-16 units of the statement itself, without a trailing semicolon and what follows it.',
    ),
  },
  'An accepted statement.',
)

const refused = object(
  {
    ok: choice([false], 'That it is refused.'),
    rule: choice(RULES, 'The rule that it breaks.'),
    message: text('What is wrong.'),
    name: optional(text('What is wrong, by its name.')),
    line: place('The line, from 1.'),
    column: place('The column, from 1.'),
    hint: optional(text('What to write.')),
  },
  'A refused statement.',
)

/** The result of checking a statement. */
export type Verdict = Infer<typeof accepted> | FromJson<Infer<typeof refused>>

/** What a verdict is. */
export const VERDICT = either<Verdict>([accepted, refused as Schema<Verdict>], 'A verdict.')
