/** A text as an SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as a quoted SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
