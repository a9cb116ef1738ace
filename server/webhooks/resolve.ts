import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Returns all addresses of a host name. Rejects when it has none, or once the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

const TRY_MS = 3_000
const TRIES = 2

/**
 * Asks DNS for the addresses of a name. With `asSystem`, a name that DNS does not have is looked up as the system does,
 * for instance in /etc/hosts. That is not the default because a lookup of the system occupies one of the few threads of
 * the process until it ends, and the name may be one whose DNS server never answers.
 */
export function resolveBy(asSystem: boolean): Resolve {
  return async (host, signal) => {
    if (isIP(host) !== 0) return [host]
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      const asked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      signal.throwIfAborted()
      const found = asked.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
      if (found.length > 0) return found
      if (asSystem) return (await lookup(host, { all: true })).map(({ address }) => address)
      throw new Error('the name has no address')
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}
