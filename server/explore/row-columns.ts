/**
 * Column names of the first row in the body of an answer, in the order of the query. `JSON.parse` loses this order: in
 * its objects, names that are integers come first.
 */
export function rowColumns(answer: string): string[] {
  const start = /^\s*\{\s*"result"\s*:\s*\{\s*"items"\s*:\s*\[\s*\{/.exec(answer)
  if (!start) return []
  const names: string[] = []
  const lexeme = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g
  lexeme.lastIndex = start[0].length
  let depth = 1
  let isName = true
  for (let found = lexeme.exec(answer); found && depth > 0; found = lexeme.exec(answer)) {
    const [text] = found
    if (text === '{' || text === '[') depth++
    else if (text === '}' || text === ']') depth--
    else if (depth === 1 && text === ',') isName = true
    else if (depth === 1 && isName && text.startsWith('"')) {
      names.push(JSON.parse(text) as string)
      isName = false
    }
  }
  return names
}
