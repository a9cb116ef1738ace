import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** How the log identifies a request. */
export interface RequestTag {
  /** Set by the proxy, or generated. */
  requestId: string
  /** Address of the client, or null when unknown. */
  client: string | null
}

const tags = new AsyncLocalStorage<RequestTag>()
const REQUEST_ID = /^[\w.:+/=-]{1,128}$/

/** Runs `work`; in it and in all that it starts, {@link currentTag} returns `tag`. */
export function tagged<Result>(tag: RequestTag, work: () => Result): Result {
  return tags.run(tag, work)
}

/** Returns the tag of the request that the current code runs for, if any. */
export function currentTag(): RequestTag | undefined {
  return tags.getStore()
}

/** Returns the tag of a request. Its headers determine the id and the client only with `proxies` in front. */
export function tagOf(request: IncomingMessage, proxies: number): RequestTag {
  const given = proxies > 0 ? [request.headers['x-request-id']].flat().join(',') : ''
  const client = senderOf(request, proxies)
  return {
    requestId: REQUEST_ID.test(given) ? given : randomUUID(),
    client: isIP(client) ? client : (request.socket.remoteAddress ?? null),
  }
}

/**
 * Returns the address of the client: that of the connection, or with `proxies` in front the one that the
 * first of them recorded. Empty when the connection is closed.
 */
export function senderOf({ headers, socket }: IncomingMessage, proxies: number): string {
  const connection = socket.remoteAddress ?? ''
  if (proxies === 0) return connection
  const named = [headers['x-forwarded-for']].flat().join(',').split(',')
  // Each proxy appends the address that called it; the entries before those are claims of the caller.
  return named.at(-proxies)?.trim() || connection
}
