import { connect } from 'node:net'

/** Sends one request again and again over a few connections, reading as little as it can, so that it is not what is measured. */
const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2, 5).map(Number)
const request = Buffer.from(process.argv[5] ?? '', 'base64')
const HEADERS_END = Buffer.from('\r\n\r\n')
let answered = 0
const end = performance.now() + seconds * 1000

async function hammer(): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let missing = 0
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('connect', () => socket.write(request))
    socket.on('data', chunk => {
      let at = 0
      if (missing === 0) {
        const headers = chunk.indexOf(HEADERS_END)
        if (headers < 0) return reject(new Error('the headers came in parts'))
        const text = chunk.toString('latin1', 0, headers)
        if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text.split('\r\n')[0]))
        missing = Number(/content-length: (\d+)/i.exec(text)?.[1])
        at = headers + HEADERS_END.length
      }
      missing -= chunk.length - at
      if (missing > 0) return
      answered += 1
      if (performance.now() < end) socket.write(request)
      else resolve()
    })
  })
  socket.destroy()
}

await Promise.all(Array.from({ length: connections }, hammer))
process.send?.(answered / seconds)
