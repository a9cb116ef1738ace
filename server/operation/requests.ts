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

/**
 * The tag of a request. Only behind a proxy (`isForwarded`) do its headers say what it is called and where it comes
 * from, which is the last address that `X-Forwarded-For` names: those before it are the client's to make up.
 */
export function tagOf({ headers, socket }: IncomingMessage, isForwarded: boolean): RequestTag {
  const header = (name: string) => (isForwarded ? [headers[name]].flat().join(',') : '')
  const given = header('x-request-id')
  const last = header('x-forwarded-for').split(',').at(-1)?.trim() ?? ''
  return {
    requestId: REQUEST_ID.test(given) ? given : randomUUID(),
    client: isIP(last) ? last : (socket.remoteAddress ?? null),
  }
}
