import { createServer, type RequestListener, type Server } from 'node:http'
import { tagged, tagOf } from '../operation/requests.js'
import type { ServerConfig } from '../settings/config.js'
import type { Health } from './health.js'
import { Request } from './sockets.js'

/** How long the headers of a request may take to arrive. */
const HEADERS_MS = 66_000

/** An HTTP server that answers about its health at once, and everything else with `open`. */
export interface Front {
  server: Server
  /** Answers requests, including those that have arrived before. */
  open(answer: RequestListener): void
}

/** Creates a {@link Front}; `handles` says which paths the API answers, once there is an API. */
export function createFront(
  { proxies, keepAliveMs }: Pick<ServerConfig, 'proxies' | 'keepAliveMs'>,
  health: Health,
  handles: (path: string) => boolean,
): Front {
  // Requests that arrive while the application loads wait for it.
  let open: (answer: RequestListener) => void = () => {}
  const opened = new Promise<RequestListener>(resolve => {
    open = resolve
  })
  const take: RequestListener = (request, response) => {
    const tag = tagOf(request, proxies)
    response.setHeader('X-Request-Id', tag.requestId)
    if (!health.answer(request, response))
      void opened.then(answer => tagged(tag, () => answer(request, response)))
  }
  // Idle connections stay open for longer than proxies keep theirs, so that no
  // proxy sends a call as one closes.
  const timeouts = { keepAliveTimeout: keepAliveMs, headersTimeout: HEADERS_MS }
  const server = createServer({ IncomingMessage: Request, ...timeouts }, take)
  // Expect: 100-continue. The API asks for the body once the key is valid; pages ask for it at once.
  server.on('checkContinue', (request, response) => {
    if (!handles(request.url?.split('?')[0] ?? '')) response.writeContinue()
    take(request, response)
  })
  return { server, open }
}
