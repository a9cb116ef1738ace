import { isIPv6 } from 'node:net'
import type { Context } from 'koa'

const MAPPED = '::ffff:'
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * The address that a request comes from, by which attempts are counted: that of the connection, or with `proxies` in
 * front the one that the first of them has seen. Of IPv6 it is the network of 64 bits, which one caller has whole.
 */
export function addressOf(context: Context, proxies: number): string {
  const connection = context.req.socket.remoteAddress ?? ''
  if (proxies === 0) return network(connection)
  const named = context.get('X-Forwarded-For').split(',')
  // Each proxy adds the address it was called from at the end; what stands before is what the caller claims.
  return network(named.at(-proxies)?.trim() || connection)
}

function network(address: string): string {
  if (address.startsWith(MAPPED)) return address.slice(MAPPED.length)
  if (!isIPv6(address)) return address
  const [before = '', after = ''] = address.split('%')[0]?.split('::') ?? []
  const [head, tail] = [groups(before), groups(after)]
  const zeros = Array<string>(Math.max(0, GROUPS - head.length - tail.length)).fill('0')
  const all = [...head, ...zeros, ...tail].map(group => Number.parseInt(group, 16).toString(16))
  return all.slice(0, NETWORK_GROUPS).join(':')
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
