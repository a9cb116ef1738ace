import { CommanderError } from 'commander'
import { reasonOf } from '../events.js'
import { Refusal } from '../store/refusal.js'
import { createProgram } from './program.js'

/** Exit statuses: bad input and failures, bad usage. */
const FAILED = 1
const BAD_USAGE = 2

// Whatever is made is for the eyes of its owner alone: the data folder holds secrets.
process.umask(0o077)

// Who reads our output may leave, as `head` does.
process.stdout.on('error', error => {
  process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : FAILED)
})

process.on('uncaughtException', error => {
  report(error)
  process.exit(FAILED)
})

process.exitCode = await run()

async function run(): Promise<number> {
  try {
    await createProgram().parseAsync()
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE
    report(error)
    return FAILED
  }
}

function report(error: unknown): void {
  // A refusal is written for people, line breaks and all; of anything else one line is enough.
  process.stderr.write(`error: ${error instanceof Refusal ? error.message : reasonOf(error)}\n`)
}
