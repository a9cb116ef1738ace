import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** What the log calls a request. */
export interface RequestTag {
  /** Of the proxy's making, or of ours. */
  requestId: string
  /** Address of who sent it, as far as it is known. */
  client: string | null
}

const tags = new AsyncLocalStorage<RequestTag>()
const REQUEST_ID = /^[\w.:+/=-]{1,128}$/

/** Runs work that {@link currentTag} belongs to, with all that it starts. */
export function tagged<Result>(tag: RequestTag, work: () => Result): Result {
  return tags.run(tag, work)
}

/** The request that this is done for, if it is done for one. */
export function currentTag(): RequestTag | undefined {
  return tags.getStore()
}

/** The tag of a request; only with `proxies` in front do its headers say what it is called and where it comes from. */
export function tagOf(request: IncomingMessage, proxies: number): RequestTag {
  const given = proxies > 0 ? [request.headers['x-request-id']].flat().join(',') : ''
  const client = senderOf(request, proxies)
  return {
    requestId: REQUEST_ID.test(given) ? given : randomUUID(),
    client: isIP(client) ? client : (request.socket.remoteAddress ?? null),
  }
}

/**
 * Who sent a request: the address of the connection, or with `proxies` in front what the first of them has put down.
 * Empty when the connection has gone.
 */
export function senderOf({ headers, socket }: IncomingMessage, proxies: number): string {
  const connection = socket.remoteAddress ?? ''
  if (proxies === 0) return connection
  const named = [headers['x-forwarded-for']].flat().join(',').split(',')
  // Each proxy adds the address it was called from at the end; what stands before is what the caller claims.
  return named.at(-proxies)?.trim() || connection
}
