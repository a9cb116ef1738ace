import type { Node } from './shapes.js'

const NUMBERS = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'DECIMAL', 'FLOAT', 'DOUBLE'])

/**
 * Replaces the values of the numeric literals of a tree, however deep, by properties that tell when a rule reads one that the
 * shape of its statement does not tell. Work over all parts of a node does not meet them.
 */
export function watchNumbers(tree: unknown, shape: string, onRead: () => void): void {
  const left = [tree]
  while (left.length > 0) {
    const node = left.pop()
    if (typeof node !== 'object' || node === null) continue
    const literal = literalOf(node as Node)
    if (typeof literal?.value === 'number') {
      const { query_location: offset } = node as Node
      const isTold =
        literal.value > 0 && typeof offset === 'number' && shape.startsWith(String(literal.value), offset)
      if (!isTold) watchValue(literal, onRead)
    } else for (const part of Object.values(node)) left.push(part)
  }
}

function watchValue(literal: Node, onRead: () => void): void {
  const { value } = literal
  const get = () => {
    onRead()
    return value
  }
  Object.defineProperty(literal, 'value', { get, enumerable: false })
}

/** Value of a numeric literal; null for anything else, the literal NULL included. */
export function numberOf(node: Node): number | null {
  const literal = literalOf(node)
  const type = literal?.type as Node | undefined
  if (!literal || !NUMBERS.has(String(type?.id)) || typeof literal.value !== 'number') return null
  return literal.value / 10 ** Number((type?.type_info as Node | null)?.scale ?? 0)
}

/** Value of a string literal; null for anything else. Does not read the values of numbers, see {@link watchNumbers}. */
export function textOf(node: Node): string | null {
  const literal = literalOf(node)
  if (!literal || NUMBERS.has(String((literal.type as Node | undefined)?.id))) return null
  return typeof literal.value === 'string' ? literal.value : null
}

function literalOf(node: Node): Node | null {
  if (node.class !== 'CONSTANT') return null
  const literal = (node.value ?? {}) as Node
  return literal.is_null === true ? null : literal
}

/** Name of the type that a cast makes, in capitals. */
export function castTypeOf(cast: Node): string {
  const type = (cast.cast_type ?? {}) as Node
  const info = type.type_info as Node | null
  return String(((info?.expr as Node | undefined)?.type_name as string | undefined) ?? type.id).toUpperCase()
}
