import { clip, type Reader } from '../../../guard/refusal.js'
import { fold } from './scope.js'
import type { Node } from './shapes.js'

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const HINT = 'Write $name, and send its value in the field parameters.'

/**
 * Checks a parameter, and returns its name as the engine compares it. The engine makes columns of the values of
 * a PIVOT when it binds, and the bounds on their number count literals.
 */
export function checkParameter(reader: Reader, { identifier }: Node, isInPivot: boolean): string {
  const name = String(identifier)
  if (/^\d+$/.test(name))
    throw reader.refuse('construct', 'Parameters have names, not numbers.', { hint: HINT })
  if (!NAME.test(name))
    throw reader.refuse('construct', 'The name of a parameter is one to 63 letters, digits and _.', {
      hint: HINT,
    })
  if (isInPivot)
    throw reader.refuse('construct', 'The values of a PIVOT must be literals.', {
      name: clip(name),
      hint: 'Write them out, or aggregate with FILTER (WHERE column = $value).',
    })
  return fold(name)
}
