import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in its own process, so that a bomb can only affect that process. */
export interface ServerProcess {
  url: string
  child: ChildProcess
}

/** Starts one of the scripts beside this file with its arguments, on this or another Node binary. */
export async function startProcess(
  script: 'host' | 'bare',
  args: number[],
  execPath = process.execPath,
): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(`./${script}.ts`, import.meta.url))
  const child = fork(path, args.map(String), {
    execPath,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the ${script} ended before it listened`)
  })
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }]
  ended.catch(() => {})
  return { url, child }
}

/** Ends a server, unless it has ended already. */
export async function endProcess({ child }: ServerProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** What the host has measured since the last reset, or since its start. */
export function askHost(
  { child }: ServerProcess,
  what: 'ask' | 'reset',
): Promise<{ delayMs: number; restarts: number }> {
  return new Promise(resolve => {
    child.once('message', message => resolve(message as { delayMs: number; restarts: number }))
    child.send(what)
  })
}
