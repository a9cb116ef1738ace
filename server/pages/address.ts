import { isIPv6 } from 'node:net'
import type { Context } from 'koa'
import { senderOf } from '../operation/requests.js'

const MAPPED = '::ffff:'
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * Network that login attempts are counted for: an IPv4 address, or an IPv6 /64,
 * all of which one caller may have.
 */
export function networkOf(context: Context, proxies: number): string {
  const address = senderOf(context.req, proxies)
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
