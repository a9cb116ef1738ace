import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** A request to a receiver. */
export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver of webhooks on the loopback interface, which answers 204 unless told otherwise. */
export class TestReceiver {
  readonly received: Received[] = []
  /** What it does with the next requests. */
  answer: (response: ServerResponse) => void = response => response.writeHead(204).end()
  readonly #server: Server
  readonly #scheme: string

  /** With a certificate and its key, it speaks TLS. */
  constructor(tls?: { cert: string; key: string }) {
    const take = (request: Parameters<typeof text>[0] & { headers: IncomingHttpHeaders }, response: ServerResponse) => {
      void text(request).then(body => {
        this.received.push({ headers: request.headers, body })
        this.answer(response)
      })
    }
    this.#server = tls ? createTlsServer(tls, take) : createServer(take)
    this.#scheme = tls ? 'https' : 'http'
  }

  /** Starts it and returns its URL. */
  async listen(host = '127.0.0.1'): Promise<string> {
    await once(this.#server.listen(0, host), 'listening')
    return this.url(host)
  }

  /** Its URL under the name of its host. */
  url(host: string): string {
    return `${this.#scheme}://${host}:${(this.#server.address() as AddressInfo).port}/hook?token=hidden`
  }

  /** Answers with this status from now on. */
  answerWith(status: number, headers: Record<string, string> = {}): void {
    this.answer = response => response.writeHead(status, headers).end('body of the receiver')
  }

  /** The events that it has received, whose signatures the official library has verified. */
  events(secret: string): { id: unknown; type: string; timestamp: string; data: Record<string, unknown> }[] {
    return this.received.map(({ headers, body }) => {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as object
      return { id: headers['webhook-id'], ...event } as ReturnType<TestReceiver['events']>[number]
    })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
