/** Quotes a string as an SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Quotes a name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes the name of a relation in a schema of the session's catalog. */
export function qualified(schema: string, relation: string): string {
  return `${identifier(schema)}.${identifier(relation)}`
}
