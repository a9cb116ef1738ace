import { readFileSync } from 'node:fs'
import { expand } from '../../../../../test/sql/statements.js'

/**
 * Where a statement ends: refused by its text alone, refused by Trino when it is validated inside its wrapper, refused
 * at one of these or when it runs; or it answers rows; or it may do anything within its budget.
 */
export type Ending = 'text' | 'wrapped' | 'run' | 'rows' | 'budget'

/** A statement of a file beside this one, each of which follows a line `--- name | ending`. */
export interface Hostile {
  name: string
  sql: string
  ending: Ending
}

/** All statements of a file. The shorthand is that of test/sql/statements.ts. */
export function readHostile(file: string): Hostile[] {
  const text = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8')
  return text
    .split(/^--- /m)
    .slice(1)
    .map(entry => {
      const end = entry.indexOf('\n')
      const [name = '', ending] = entry.slice(0, end).split(' | ')
      return { name, ending: ending as Ending, sql: expand(entry.slice(end + 1).replace(/\n$/, '')) }
    })
}
