/** Fields of the objects in a tree, as `kind.field`; the kind of an object without one is the field that has it. */
export function fieldsIn(tree: string): Set<string> {
  const found = new Set<string>()
  const read = (value: unknown, within: string): void => {
    if (Array.isArray(value)) for (const each of value) read(each, within)
    else if (value !== null && typeof value === 'object') {
      const { class: kind, type } = value as { class?: unknown; type?: unknown }
      const name = [kind, type, within].find(each => typeof each === 'string') as string
      for (const [field, inner] of Object.entries(value)) {
        found.add(`${name}.${field}`)
        read(inner, field)
      }
    }
  }
  read(JSON.parse(tree), 'tree')
  return found
}

/** Fields that only the first of two sets has, in lines by their names: `field: kind, kind`. */
export function onlyIn(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  const kinds = new Map<string, string[]>()
  for (const each of [...first].filter(one => !second.has(one)).sort()) {
    const [kind = '', field = ''] = each.split('.')
    kinds.set(field, [...(kinds.get(field) ?? []), kind])
  }
  return [...kinds].map(([field, all]) => `${field}: ${all.length > 6 ? `${all.length} kinds` : all.join(', ')}`)
}
