import { FAILED } from './interrupt.js'
import { report, runCommand } from './run.js'

// Only the owner may read the files that commands create: the data folder contains secrets.
process.umask(0o077)

// The reader of our output may close it early, as `head` does.
process.stdout.on('error', error => {
  process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : FAILED)
})

// A closed log does not stop the server.
process.stderr.on('error', () => {})

process.on('uncaughtException', error => {
  report(error)
  process.exit(FAILED)
})

process.exitCode = await runCommand(process.argv.slice(2))
