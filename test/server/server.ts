import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { start, storeOf } from './command.js'

/** An answer to a call, with the members that the tests read. */
export interface Answer {
  status: number
  headers: Headers
  items: Record<string, unknown>[]
  /** Cursor of the next page. */
  next: string | undefined
  class: string | undefined
  message: string | undefined
  data: Record<string, unknown> | undefined
  /** Link to an exported file. */
  link: string | undefined
}

interface Body {
  result?: { items?: Record<string, unknown>[]; nextCursor?: string; url?: string }
  class?: string
  message?: string
  data?: Record<string, unknown>
}

/** A server in its own process. */
export interface Served {
  url: string
  metricsUrl: string
  child: ChildProcess
  /** Its log so far. */
  log(): string
}

/** A flag or its value, or limits, which go to a file. */
export type Flag = string | Readonly<Record<string, string | number>>

/** Writes limits to a file in a folder, and returns the flags that name it. */
export async function limitsIn(folder: string, limits: Flag): Promise<string[]> {
  const file = join(folder, `limits-${randomUUID()}.json`)
  await writeFile(file, JSON.stringify(limits))
  return ['--limits', file]
}

/** Starts a server; resolves once it has printed its URL. */
export function serve(folder: string, ...flags: Flag[]): Promise<Served> {
  return serveWith({}, folder, ...flags)
}

/** As {@link serve}, with these variables in its environment. */
export async function serveWith(environment: NodeJS.ProcessEnv, folder: string, ...flags: Flag[]): Promise<Served> {
  const limits = Object.assign({ connections: 1 }, ...flags.filter(flag => typeof flag === 'object'))
  const named = [...(await limitsIn(folder, limits)), ...flags.filter(flag => typeof flag === 'string')]
  const args = ['serve', '--port', '0', '--json', ...named]
  const child = start(folder, args, { ...(await storeOf(folder, args)), ...environment })
  assert.ok(child.stdout && child.stderr)
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const ended = once(child, 'close').then(([status]) => assert.fail(`the server ended with ${status}: ${log}`))
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended])
  ended.catch(() => {}) // once it has started, the tests end it
  return { ...JSON.parse(line), child, log: () => log }
}

/** Sends a signal to a server and returns its exit status. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const ended = once(child, 'close')
  child.kill(signal)
  return (await ended)[0]
}

/** Calls a method of a server over REST. */
export async function call(url: string, key: string, method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${url}/public/v1/api/projects/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(params),
  })
  const { status, headers } = response
  const { result, class: failure, message, data } = (await response.json()) as Body
  const { items = [], nextCursor: next, url: link } = result ?? {}
  return { status, headers, items, next, class: failure, message, data, link }
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}
