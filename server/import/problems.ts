import { Refusal } from '../store/refusal.js'
import { CsvError } from './csv.js'

const MAX_LINES = 30

/** Something wrong in a package, and where: row 1 is the first after the header, which is row 0. */
export interface PackageProblem {
  file: string
  row?: number
  column?: string
  message: string
}

/** A refusal that says everything that is wrong with a package, a line each. */
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

/** What to say of a CSV file that could not be read. */
export function whyUnreadable(error: unknown): { row?: number; message: string } {
  if (error instanceof CsvError) return { row: error.row, message: error.message }
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') return { message: 'the file is missing' }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { message: 'it is not UTF-8' }
  if (code === undefined) throw error
  return { message: `it cannot be read (${code})` }
}
