/**
 * A process that runs one `foldgate` command after the other, as its parent asks, and tells how each ended: starting a
 * process is most of what a command takes.
 */
import { runCommand } from '#server/cli/run.js'

// As the command itself does.
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
