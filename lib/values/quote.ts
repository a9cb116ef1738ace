/** Quotes a string as an SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Escapes the characters of a path that the engine would take for a pattern of several files. */
export function withoutPattern(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}

/** Quotes the path of one file as an operand of a function that reads files. */
export function fileLiteral(path: string): string {
  return literal(withoutPattern(path))
}

/** Quotes a name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
