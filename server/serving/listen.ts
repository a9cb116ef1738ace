import type { Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { Refusal } from '../input/refusal.js'
import type { ServerConfig } from '../settings/config.js'

/** Where to listen, and the flags that configure it. */
export interface ListenAddress {
  host: string
  port: number
  settings: { host: string; port: string }
}

/** Listens and resolves with the address. Throws a Refusal that names the flag when that is not possible. */
export async function listen(server: Server, place: ListenAddress): Promise<string> {
  const { host, port } = place
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new Refusal(whyNotListening(cause.code, place), { cause })
  })
  const { address, port: taken } = server.address() as AddressInfo
  // Callers cannot use a wildcard address; most likely the reader of the line is on the same machine.
  const reachable = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${taken}`
}

/** Where agents reach the server; null when it listens on names that it does not know. */
export function originsOf(
  { baseUrl, host }: Pick<ServerConfig, 'baseUrl' | 'host'>,
  url: string,
): string[] | null {
  // Also behind a proxy that does not pass Host on.
  const local = ['http://localhost', 'http://127.0.0.1', 'http://[::1]']
  if (baseUrl) return [baseUrl, url, ...local]
  return ['localhost', '127.0.0.1', '::1'].includes(host) ? local : null
}

function whyNotListening(code: string | undefined, { host, port, settings }: ListenAddress): string {
  if (code === 'EADDRINUSE')
    return (
      `Port ${port} of ${host} is in use: stop what listens there, or choose another with ${settings.port} ` +
      '(0 picks a free one)'
    )
  if (code === 'EACCES')
    return `Port ${port} on ${host} is not allowed for this user: name one above 1023 with ${settings.port}`
  return `The server cannot listen on ${host} (${code}): name an address of this machine with ${settings.host}`
}
