import { LoadConnection } from './connection.js'

/** Sends one request repeatedly over a few connections. */
const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2, 5).map(Number)
const request = Buffer.from(process.argv[5] ?? '', 'base64')
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
