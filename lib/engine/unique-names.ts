/**
 * Names of columns as callers see them: a repeated name, in whatever case, gets `_1`, `_2` …
 *
 * @example
 * ```ts
 * uniqueNames(['site', 'Site']) // ['site', 'Site_1']
 * ```
 */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map(name => {
    let unique = name
    for (let count = 1; taken.has(unique.toLowerCase()); count++) unique = `${name}_${count}`
    taken.add(unique.toLowerCase())
    return unique
  })
}
