import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { Outcome } from './case.js'
import type { Entry } from './entry.js'
import { bearer, readRest } from './rest.js'
import { type RpcAnswer, readRpc, rpcText } from './rpc.js'
import type { Site } from './world.js'

/** JSON-RPC over WebSocket: one socket per key, which calls share, with answers matched by id. */
export function socketEntry({ socketUrl }: Site): Entry {
  const channels = new Map<string | null, Promise<Channel | Outcome>>()
  let calls = 0
  return {
    async call(call) {
      const { key } = call
      const opening = channels.get(key) ?? Channel.open(socketUrl, key)
      channels.set(key, opening)
      const channel = await opening
      return channel instanceof Channel ? channel.call(++calls, rpcText(calls, call)) : channel
    },
    close() {
      for (const opening of channels.values()) {
        void opening.then(channel => channel instanceof Channel && channel.close()).catch(() => {})
      }
    },
  }
}

/** An open socket and its pending calls. */
class Channel {
  readonly #socket: WebSocket
  readonly #waiting = new Map<RpcAnswer['id'], (answer: RpcAnswer) => void>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', data => {
      const answer = JSON.parse(String(data)) as RpcAnswer
      this.#waiting.get(answer.id)?.(answer)
      this.#waiting.delete(answer.id)
    })
  }

  /** Opens a channel for a key. Returns the failure if the handshake is refused. */
  static async open(url: string, key: string | null): Promise<Channel | Outcome> {
    const socket = new WebSocket(url, { headers: bearer(key) })
    const refused = once(socket, 'unexpected-response') as Promise<[unknown, IncomingMessage]>
    const opened = once(socket, 'open').then(() => null)
    refused.catch(() => {})
    opened.catch(() => {})
    const answer = await Promise.race([opened, refused])
    return answer ? readRefusal(answer[1]) : new Channel(socket)
  }

  /** Sends a call and waits for the answer with its id. */
  async call(id: number, text: string): Promise<Outcome> {
    const answered = new Promise<RpcAnswer>(resolve => this.#waiting.set(id, resolve))
    this.#socket.send(text)
    return readRpc(await answered)
  }

  close(): void {
    this.#socket.terminate()
  }
}

/** Reads a refused handshake, which must look like a failure of REST. */
async function readRefusal(response: IncomingMessage): Promise<Outcome> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const headers = new Headers(response.headers as Record<string, string>)
  return readRest(response.statusCode ?? 0, headers, Buffer.concat(chunks).toString())
}
