import { Refusal } from '../store/refusal.js'
import { CsvError } from './csv.js'

const MAX_LINES = 30

/** A problem in a package, and where: row 0 is the header, row 1 the first row after it. */
export interface PackageProblem {
  file: string
  row?: number
  column?: string
  message: string
}

/** Creates a Refusal that lists the problems of a package, one per line and 30 at most. */
export function packageRefusal(problems: readonly PackageProblem[]): Refusal {
  const lines = problems.slice(0, MAX_LINES).map(({ file, row, column, message }) => {
    const place = [
      file,
      row === undefined ? '' : row === 0 ? 'header' : `row ${row}`,
      column === undefined ? '' : `column ${column}`,
    ]
    return `  ${place.filter(part => part !== '').join(', ')}: ${message}`
  })
  if (problems.length > MAX_LINES) lines.push(`  and ${problems.length - MAX_LINES} more`)
  return new Refusal(`The package cannot be imported and nothing was written:\n${lines.join('\n')}`)
}

/** Explains why a CSV file could not be read; rethrows an error that is not about the file. */
export function whyUnreadable(error: unknown): { row?: number; message: string } {
  if (error instanceof CsvError) return { row: error.row, message: error.message }
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') return { message: 'the file is missing' }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { message: 'it is not UTF-8' }
  if (code === undefined) throw error
  return { message: `it cannot be read (${code})` }
}
