/**
 * Runs the `foldgate` commands that its parent process sends, one after the other, and reports how each ended. Reusing
 * a process saves most of the time of a command. For a new folder it begins with the environment that it started with.
 */
import { runCommand } from '#server/cli/run.js'

// The command does the same.
process.umask(0o077)

const environment = { ...process.env }
let printed = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr']) {
  process[name].write = chunk => {
    printed[name] += chunk
    return true
  }
}

process.on('message', async ({ folder, args, store }) => {
  if (folder !== undefined) {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, environment)
    process.chdir(folder)
    return
  }
  Object.assign(process.env, store)
  printed = { stdout: '', stderr: '' }
  const status = await runCommand(args)
  process.send({ status, ...printed })
})
process.on('disconnect', () => process.exit())
