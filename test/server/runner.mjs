/**
 * Runs the `foldgate` commands that its parent process sends, one after the other, and reports how each ended. Reusing
 * a process saves most of the time of a command.
 */
import { runCommand } from '#server/cli/run.js'

// The command does the same.
process.umask(0o077)

let printed = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr']) {
  process[name].write = chunk => {
    printed[name] += chunk
    return true
  }
}

process.on('message', async ({ args, store }) => {
  Object.assign(process.env, store)
  printed = { stdout: '', stderr: '' }
  const status = await runCommand(args)
  process.send({ status, ...printed })
})
process.on('disconnect', () => process.exit())
