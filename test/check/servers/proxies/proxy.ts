import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { promisify } from 'node:util'
import { until } from '../../../until.js'

const run = promisify(execFile)

/** A proxy in its own process, with a configuration of deploy/. */
export interface RunningProxy {
  url: string
  /** Certificate that clients have to trust; undefined without TLS. */
  ca: string | undefined
  /** Whether a call with a body goes to the other server when one refuses the connection. */
  repeatsBodies: boolean
  /** Everything that it has logged. */
  log(): Promise<string>
  /** Does what the configuration asks for before a server is restarted. */
  takeOut(server: string): Promise<void>
  /** Does what the configuration asks for once the server is ready again. */
  putBack(server: string): Promise<void>
  stop(): Promise<void>
}

/** A change to a configuration: every occurrence of a text, which must be there, and what replaces it. */
export type Change = readonly [from: string, to: string]

/**
 * Starts a proxy in front of any number of servers, with its files in `folder` and with changes to the configuration of
 * deploy/; null where it is not installed.
 */
export type StartProxy = (
  folder: string,
  servers: readonly string[],
  changes?: readonly Change[],
) => Promise<RunningProxy | null>

/** How often proxies poll in tests; in deploy/, it is 2 s. */
export const POLL_MS = 200

/** Reads a configuration of deploy/. */
export const read = (name: string) => readFile(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8')

/** The host and port of a server. */
export const hostOf = (url: string) => new URL(url).host

/** Applies changes to a configuration. */
export function changed(config: string, changes: readonly Change[]): string {
  return changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `there is no ${from}`)
    return text.replaceAll(from, to)
  }, config)
}

/** Sends a request through a proxy on a connection of its own, and resolves to the answer's head. */
export async function send(
  { url, ca }: RunningProxy,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<IncomingMessage> {
  const { body, ...rest } = options
  const given = { ...rest, agent: false as const, ...(ca === undefined ? {} : { ca }) }
  const call: ClientRequest = url.startsWith('https:') ? overHttps(url + path, given) : overHttp(url + path, given)
  call.end(body)
  const [answer] = await once(call, 'response')
  return answer
}

/** The version of a program; null when it is not installed. */
export async function versionOf(program: string, ask: string): Promise<string | null> {
  const told = await run(program, [ask]).catch(() => null)
  return told && (/\d+(\.\d+)+/.exec(told.stdout + told.stderr)?.[0] ?? '')
}

/** Makes a certificate for 127.0.0.1; `key` and `certificate` are names of files in the folder. */
export async function certify(folder: string, key: string, certificate: string): Promise<string> {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  await run('openssl', ['req', '-x509', ...curve, ...subject, '-out', certificate], { cwd: folder })
  return readFile(`${folder}/${certificate}`, 'utf8')
}

/**
 * Waits until a proxy answers a path that it does not pass on; fails with its output when it ends before. Resolves to a
 * function that returns its output so far.
 */
export async function untilUp(child: ChildProcess, url: string): Promise<() => string> {
  let told = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      told += chunk
    })
  const send = url.startsWith('https:') ? overHttps : overHttp
  await until(async () => {
    assert.equal(child.exitCode, null, told)
    const call = send(`${url}/live`, { rejectUnauthorized: false }).end()
    return once(call, 'response').then(
      ([answer]) => answer.resume().statusCode === 404,
      () => false,
    )
  }, 'a proxy that answers')
  return () => told
}

/** Ends a proxy. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
