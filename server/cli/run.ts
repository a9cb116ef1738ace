import { CommanderError } from 'commander'
import { reasonOf } from '../events.js'
import { Refusal } from '../store/refusal.js'
import { createProgram } from './program.js'
import { BAD_USAGE, FAILED } from './status.js'

/** Runs one command line, without the name of the program, and gives its exit status; errors are reported. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE
    report(error)
    return FAILED
  }
}

/** Prints an error. A refusal is written for people, line breaks and all; of anything else one line is enough. */
export function report(error: unknown): void {
  process.stderr.write(`error: ${error instanceof Refusal ? error.message : reasonOf(error)}\n`)
}
