import { CommanderError } from 'commander'
import { Refusal } from '../input/refusal.js'
import { reasonOf } from '../operation/event-log.js'
import { BAD_USAGE, FAILED } from './interrupt.js'
import { createProgram } from './program.js'

/** Runs a command line without the name of the program, reports errors, and returns the exit status. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram()
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE
    report(error)
    return FAILED
  }
}

/** Prints an error on standard error: a Refusal in full, anything else on one line. */
export function report(error: unknown): void {
  process.stderr.write(`error: ${error instanceof Refusal ? error.message : reasonOf(error)}\n`)
}
