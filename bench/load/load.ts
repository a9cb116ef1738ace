import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url))

/** Starts a server on a free port of 127.0.0.1. */
export async function listening(listener: RequestListener): Promise<{ port: number; server: Server }> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, server }
}

/** The bytes of a POST request. */
export function postBytes(path: string, authorization: string, body: string): Buffer {
  return requestBytes(path, authorization, body)
}

/** The bytes of a POST request, or of a GET request if the body is null. */
export function requestBytes(path: string, authorization: string, body: string | null): Buffer {
  const head = [
    `${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: ${authorization}`,
    ...(body === null ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** Measures the answers per second to one request repeated over a few connections; the client is its own process. */
export async function answersPerSecond(port: number, request: Buffer, connections = 8, seconds = 3): Promise<number> {
  const args = [request.toString('base64'), ...[port, connections, seconds].map(String)]
  const client = fork(CLIENT, args, { execArgv: ['--import', 'tsx'] })
  const failed = once(client, 'exit').then(([code]) => {
    throw new Error(`the client ended with ${code}`)
  })
  failed.catch(() => {})
  const [rate] = (await Promise.race([once(client, 'message'), failed])) as [number]
  client.kill()
  return rate
}
