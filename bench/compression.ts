import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { toNodeHandler } from 'foldgate/node'
import { AUTHORIZATION, largestProject, median, timed } from './assessed.js'
import { LoadConnection } from './load/connection.js'
import { listening } from './load/load.js'
import type { Figure } from './run.js'

const PATH = '/public/v1/api/projects/query'
const SQL = 'SELECT risk_code, site_key, sector_code, severity, exposure, score FROM risk_rows ORDER BY ALL'
const ROUNDS = 200
/** Milliseconds that a byte takes at 100 Mbit/s. */
const MS_PER_BYTE = 8 / 100_000

const LEVELS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  ...Object.fromEntries([1, 3, 6].map(level => [`gzip ${level}`, body => promisify(gzip)(body, { level })])),
  ...Object.fromEntries(
    [0, 1, 2, 4, 6].map(quality => [
      `br ${quality}`,
      body => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    ]),
  ),
}

/** Measures what compressing a page costs and what it saves at 100 Mbit/s: by level, and through the whole server. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const { port, server } = await listening(toNodeHandler(api))
  const connection = await LoadConnection.open(port)
  try {
    const figures: Figure[] = []
    for (const limit of [20, 100, 500]) {
      const params = { projectId: project.projectId, sql: SQL, page: { limit } }
      const { result } = await api.call('projects/query', params, { authorization: AUTHORIZATION })
      const page = Buffer.from(JSON.stringify({ result }))
      const whole = `${(page.byteLength * MS_PER_BYTE).toFixed(2)} ms on the wire`
      const what = `a page of ${limit} rows, ${(page.byteLength / 1024).toFixed(1)} KiB`
      if (limit === 500)
        for (const [level, compress] of Object.entries(LEVELS))
          figures.push({ what: `${what}: ${level}`, ...(await costOf(page, compress)), baseline: whole, bar: '' })
      const ask = async (coding: string) => {
        if ((await connection.ask(requestOf(params, coding))) !== 200) throw new Error('no page')
      }
      const times: Record<string, number[]> = { identity: [], gzip: [], br: [] }
      const bytes: Record<string, number> = {}
      for (let round = -20; round < ROUNDS; round++)
        for (const [coding, spent] of Object.entries(times)) {
          const ms = await timed(() => ask(coding))
          bytes[coding] = Number(/content-length: (\d+)/i.exec(connection.head)?.[1])
          if (round >= 0) spent.push(ms)
        }
      const plain = median(times.identity as number[])
      for (const coding of ['gzip', 'br']) {
        const extra = median(times[coding] as number[]) - plain
        const saved = (page.byteLength - (bytes[coding] as number)) * MS_PER_BYTE
        const measured = `${bytes[coding]} bytes, + ${extra.toFixed(2)} ms, saves ${saved.toFixed(2)} ms`
        figures.push({ what: `${what}, through the server: ${coding}`, measured, baseline: whole, bar: 'saves more' })
      }
    }
    return figures
  } finally {
    connection.close()
    server.close()
    server.closeAllConnections()
    await api.close()
    await project.remove()
  }
}

async function costOf(page: Buffer, compress: (body: Buffer) => Promise<Buffer>): Promise<Pick<Figure, 'measured'>> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(() => compress(page)))
  const { byteLength } = await compress(page)
  const total = median(times) + byteLength * MS_PER_BYTE
  return { measured: `${median(times).toFixed(2)} ms, ${byteLength} bytes, ${total.toFixed(2)} ms with the wire` }
}

function requestOf(params: object, coding: string): Buffer {
  const body = JSON.stringify(params)
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: ${AUTHORIZATION}`,
    `Accept-Encoding: ${coding}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
