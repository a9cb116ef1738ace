import type { Reader } from '../../../guard/refusal.js'
import type { Node } from './shapes.js'

const NUMBERS = new Set([
  ...[
    'TINYINT',
    'SMALLINT',
    'INTEGER',
    'BIGINT',
    'HUGEINT',
    'UTINYINT',
    'USMALLINT',
    'UINTEGER',
    'UBIGINT',
    'UHUGEINT',
  ],
  ...['INT', 'FLOAT', 'REAL', 'DOUBLE', 'DECIMAL', 'NUMERIC'],
])
const TEXTS = new Set(['VARCHAR', 'TEXT', 'STRING'])

/**
 * Checks arguments whose type must show in the statement. Of a time with a zone, the engine computes times of
 * day that do not exist, and reads memory for their digits.
 */
export function checkTyped(reader: Reader, name: string, args: readonly unknown[]): void {
  const [first] = args as readonly (Node | null)[]
  if (name === 'timezone' && args.length > 1 && !isText(first))
    throw reader.refuse(
      'construct',
      'The zone of AT TIME ZONE and timezone() must be a literal, or cast to VARCHAR.',
      {
        name,
        hint: "Write AT TIME ZONE 'Europe/Paris', or AT TIME ZONE CAST(zone AS VARCHAR).",
      },
    )
  if (name === 'approx_quantile' && !(first?.class === 'CAST' && NUMBERS.has(castTypeOf(first))))
    throw reader.refuse('construct', 'The values of approx_quantile must be cast to a number.', {
      name,
      hint: 'Write approx_quantile(CAST(value AS DOUBLE), 0.9), or use quantile_cont or quantile_disc.',
    })
}

function isText(node: Node | null | undefined): boolean {
  if (node?.class === 'CAST') return TEXTS.has(castTypeOf(node))
  const { type } = (node?.class === 'CONSTANT' ? (node.value ?? {}) : {}) as Node
  return (type as Node | undefined)?.id === 'VARCHAR'
}

/** Name of the type that a cast makes, in capitals. */
export function castTypeOf(cast: Node): string {
  const type = (cast.cast_type ?? {}) as Node
  const info = type.type_info as Node | null
  return String(((info?.expr as Node | undefined)?.type_name as string | undefined) ?? type.id).toUpperCase()
}
