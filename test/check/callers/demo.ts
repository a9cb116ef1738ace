import { type ChildProcess, execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { outputJson, scratchFolder } from '../../server/command.js'
import { serve, stop } from '../../server/server.js'
import { type Scripted, ScriptedService } from '../client/scripted.js'

/** The folder of the examples. */
export const CALLERS = fileURLToPath(new URL('../../../examples/callers/', import.meta.url))

const run = promisify(execFile)
const HTML = { headers: { 'content-type': 'text/html', 'retry-after': '0' }, body: '<h1>Welcome</h1>' }

/** Answers that are not the service's: of a proxy in front of a server that starts, and of another site. */
export const STRANGE: readonly Scripted[] = [{ ...HTML, status: 503 }, HTML]

const scratch = scratchFolder()
const DATA = ['--data', 'demo']
let prepared: Promise<{ key: string }> | undefined

/** Runs examples against a server with fictional companies, which runs during the suite; all suites share its data. */
export function demoService(flags: () => string[] = () => []) {
  let url: string
  let key: string
  let child: ChildProcess
  before(async () => {
    prepared ??= outputJson<{ key: string }>(scratch.path, 'demo', '--once', '--port', '0', ...DATA)
    ;({ key } = await prepared)
    ;({ url, child } = await serve(scratch.path, ...DATA, ...flags()))
  })
  after(() => stop(child))

  return {
    get url() {
      return url
    },
    get key() {
      return key
    },
    /** The folder in which examples run. */
    get folder() {
      return scratch.path
    },
    /** Runs a program with the address and the key in its environment; returns its output. */
    async printed(program: string, args: string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
      const bytecode = join(scratch.path, 'bytecode') // and not beside the examples
      const given = { FOLDGATE_URL: url, FOLDGATE_KEY: key, PYTHONPYCACHEPREFIX: bytecode, ...environment }
      const env = { ...process.env, ...given }
      const { stdout } = await run(program, args, { cwd: scratch.path, env, timeout: 120_000 })
      return stdout
    },
  }
}

/** Runs something with the address of a service that gives prepared answers; returns how many it gave. */
export async function withScript(script: Scripted[], use: (url: string) => Promise<void>): Promise<number> {
  const service = new ScriptedService()
  await service.open()
  service.says(...script)
  try {
    await use(service.url)
    return service.asked.length
  } finally {
    service.close()
  }
}

/** The first number after a word. */
export const numberAfter = (text: string, word: string) => Number(new RegExp(`${word}\\D*?([\\d.]+)`).exec(text)?.[1])

/** Skips a test, and says so, if a program cannot be run. */
export async function need(test: Mocha.Context, program: string, args: string[], what: string): Promise<void> {
  if (await run(program, args).catch(() => null)) return
  console.log(`Left out: the example ${what}, which is not installed.`)
  test.skip()
}
