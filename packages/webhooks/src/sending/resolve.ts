import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { codeOf } from 'foldgate-server/parts'

/** Returns all addresses of a host name. Rejects when it has none, or once the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

/** Where names are looked up. */
export interface NameSources {
  /** Addresses of the DNS servers, each with a port if it is not 53. Default: the name servers of the system. */
  servers?: readonly string[]
  /** How long a server may take to answer, in milliseconds; each is asked twice. Default: 3 seconds. */
  tryMs?: number
  /** Default: `/etc/hosts`. */
  hostsFile?: string
  /** Default: `/etc/resolv.conf`. */
  resolverFile?: string
}

const TRY_MS = 3_000
const TRIES = 2
/** Maximum number of search domains: the limit that glibc used to have. */
const MOST_DOMAINS = 6

/**
 * Asks DNS for the addresses of a name. With `asSystem`, a name may also be in the hosts file, and be
 * completed by the search domains of the system. The resolver of the system is never used: it runs in libuv's
 * thread pool, which the connections of the store need, and would block a thread for as long as a DNS server
 * does not answer.
 */
export function resolveBy(asSystem: boolean, sources: NameSources = {}): Resolve {
  const { hostsFile = '/etc/hosts', resolverFile = '/etc/resolv.conf' } = sources

  async function ask(host: string, signal: AbortSignal): Promise<string[]> {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: sources.tryMs ?? TRY_MS, tries: TRIES })
    if (sources.servers) resolver.setServers(sources.servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      const asked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      signal.throwIfAborted()
      const found = asked.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
      const isLost = asked.some(each => each.status === 'rejected' && !ANSWERS.has(codeOf(each.reason)))
      if (found.length === 0 && isLost) throw new Error('DNS does not answer')
      return found
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  return async (host, signal) => {
    if (isIP(host) !== 0) return [host]
    const listed = asSystem ? addressesIn(await linesOf(hostsFile), host) : []
    if (listed.length > 0) return listed
    if (asSystem && /(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1']
    const domains = asSystem && !host.endsWith('.') ? searchDomains(await linesOf(resolverFile)) : []
    for (const name of [host, ...domains.map(domain => `${host}.${domain}`)]) {
      const found = await ask(name, signal)
      if (found.length > 0) return found
    }
    throw new Error('the name has no address')
  }
}

/** Answers of a DNS server that mean that a name has no address; the next name may have one. */
const ANSWERS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** The words of each line of a system file, without comments; empty when there is no such file. */
async function linesOf(file: string): Promise<string[][]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').map(line =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  )
}

function addressesIn(lines: readonly string[][], host: string): string[] {
  const name = host.toLowerCase().replace(/\.$/, '')
  return lines.flatMap(([address = '', ...names]) =>
    isIP(address) !== 0 && names.some(each => each.toLowerCase() === name) ? [address] : [],
  )
}

function searchDomains(lines: readonly string[][]): string[] {
  const [, ...domains] = lines.findLast(([word]) => word === 'search' || word === 'domain') ?? []
  return domains.filter(domain => domain !== '.').slice(0, MOST_DOMAINS)
}
