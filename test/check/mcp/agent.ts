import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toNodeHandler } from 'foldgate/node'
import { KEYS, type Service } from '../../service/service.js'

/** What a tool told an agent. */
export interface Told {
  isError: boolean
  structured: unknown
  /** The texts, as the JSON that they are. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of answers of every kind
  texts: any[]
}

/** An agent that is connected to a service with `mcpEndpoint`. */
export interface Agent {
  client: Client
  call(name: string, params: Record<string, unknown>): Promise<Told>
  /** Reads the text of a resource. */
  read(uri: string): Promise<string>
  close(): Promise<void>
}

/** Connects an agent over a server of its own. */
export async function connectAgent(service: Service, key = KEYS.north): Promise<Agent> {
  const server = createServer(toNodeHandler(service.api))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/public/v1/mcp`)
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${key}` }
  try {
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  } catch (cause) {
    server.closeAllConnections()
    server.close()
    throw cause
  }
  return {
    client,
    async call(name, params) {
      const answer = await client.callTool({ name, arguments: params })
      const texts = (answer.content as { text: string }[]).map(({ text }) => JSON.parse(text))
      return { isError: answer.isError === true, structured: answer.structuredContent, texts }
    },
    async read(uri) {
      const [content] = (await client.readResource({ uri })).contents
      return content && 'text' in content ? content.text : ''
    },
    async close() {
      await client.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
