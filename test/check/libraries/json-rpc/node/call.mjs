import { createInterface } from 'node:readline'
import { Client, HTTPTransport, RequestManager, WebSocketTransport } from '@open-rpc/client-js'
import jayson from 'jayson'
import { JSONRPCClient } from 'json-rpc-2.0'
import { Client as SocketClient } from 'rpc-websockets'
import { WebSocket } from 'ws'

const { FOLDGATE_URL: url, FOLDGATE_SOCKET_URL: socketUrl, FOLDGATE_KEY: key } = process.env
const headers = { authorization: `Bearer ${key}` }

/** Makes a function that calls a method through a library. */
const LIBRARIES = {
  'open-rpc': () => ofOpenRpc(new HTTPTransport(url, { headers })),
  'open-rpc-socket': () => ofOpenRpc(new WebSocketTransport(socketUrl)),
  jayson: () => {
    const { hostname, port, pathname } = new URL(url)
    return ofJayson(jayson.Client.http({ hostname, port, path: pathname, headers }))
  },
  'jayson-socket': async () => {
    const ws = new WebSocket(socketUrl, { headers })
    await new Promise((resolve, reject) => ws.once('open', resolve).once('error', reject))
    return ofJayson(jayson.Client.websocket({ ws }))
  },
  'json-rpc-2.0': () => {
    const client = new JSONRPCClient(async request => {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) })
      client.receive(await response.json())
    })
    return async (method, params) => ({ result: await client.request(method, params) })
  },
  'rpc-websockets': async () => {
    const client = new SocketClient(socketUrl, { headers, reconnect: false })
    await new Promise((resolve, reject) => {
      client.once('open', resolve)
      client.once('error', event => reject(event.error))
    })
    return async (method, params) => ({ result: await client.call(method, params) })
  },
}

function ofOpenRpc(transport) {
  const client = new Client(new RequestManager([transport]))
  return async (method, params) => ({ result: await client.request({ method, params }) })
}

function ofJayson(client) {
  return (method, params) =>
    new Promise((resolve, reject) => {
      client.request(method, params, (failure, response) => (failure ? reject(failure) : resolve(response)))
    })
}

const call = await LIBRARIES[process.argv[2]]()
for await (const line of createInterface({ input: process.stdin })) {
  const { method, params } = JSON.parse(line)
  const { result, error, warnings } = await call(method, params).catch(error => ({ error }))
  const failure = error && { code: error.code, message: error.message, data: error.data }
  console.log(JSON.stringify(failure ? { error: failure } : { result, warnings }))
}
process.exit()
