import { scriptArguments } from '../../test/script.js'
import { LoadConnection } from './connection.js'

/** Sends one request repeatedly over a few connections. */
const [encoded, ...numbers] = scriptArguments(import.meta.url, 'REQUEST', 'PORT', 'CONNECTIONS', 'SECONDS')
const [port, connections, seconds] = numbers.map(Number) as [number, number, number]
const request = Buffer.from(encoded, 'base64')
let answered = 0
const end = performance.now() + seconds * 1000

async function hammer(): Promise<void> {
  const connection = await LoadConnection.open(port)
  while (performance.now() < end) {
    const status = await connection.ask(request)
    if (status !== 200) throw new Error(`the answer was ${status}`)
    answered += 1
  }
  connection.close()
}

await Promise.all(Array.from({ length: connections }, hammer))
process.send?.(answered / seconds)
