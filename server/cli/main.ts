import { report, runCommand } from './run.js'
import { FAILED } from './status.js'

// Whatever is made is for the eyes of its owner alone: the data folder holds secrets.
process.umask(0o077)

// Who reads our output may leave, as `head` does.
process.stdout.on('error', error => {
  process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : FAILED)
})

// A log that nobody reads any more stops nothing.
process.stderr.on('error', () => {})

process.on('uncaughtException', error => {
  report(error)
  process.exit(FAILED)
})

process.exitCode = await runCommand(process.argv.slice(2))
