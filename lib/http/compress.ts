import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { AnalyticsOptions } from '../options.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'

type Answer = (request: HttpRequest) => Promise<HttpAnswer>
type Compress = (body: Uint8Array) => Promise<Uint8Array>

/** Smaller bodies are sent as they are: compressing them would cost as much time as it saves at 100 Mbit/s. */
const LEAST_BYTES = 4096

const { brotliCompress, constants, gzip } = zlib
/** Node 22.15 and later. */
const { zstdCompress } = zlib as { zstdCompress?: (body: Uint8Array, done: zlib.CompressCallback) => void }

/**
 * Codings by name, the preferred one first. Their lowest levels: higher ones take more time than they save on a network
 * of 100 Mbit/s (bench/README.md).
 */
const CODINGS: ReadonlyMap<string, Compress> = new Map([
  ...(zstdCompress ? [['zstd', promisify(zstdCompress)] as const] : []),
  ['br', body => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['gzip', body => promisify(gzip)(body, { level: 1 })],
])

/** Compresses answers that are in memory, and so no downloads, with a coding that the request accepts. */
export function compressAnswers({ compression = true }: AnalyticsOptions, answer: Answer): Answer {
  if (!compression) return answer
  return async request => {
    const answered = await answer(request)
    const { headers, body } = answered
    if (!Array.isArray(body) || Number(headers['content-length']) < LEAST_BYTES) return answered
    const vary = { vary: 'Accept-Encoding' }
    const coding = chooseCoding(request.header('accept-encoding'))
    if (!coding) return { ...answered, headers: { ...headers, ...vary } }
    const [name, compress] = coding
    const bytes = await compress(Buffer.concat(body as readonly Uint8Array[]))
    const changed = { 'content-encoding': name, 'content-length': String(bytes.byteLength) }
    return { ...answered, headers: { ...headers, ...vary, ...changed }, body: [bytes] }
  }
}

/** The coding with the highest weight in an `Accept-Encoding` header (RFC 9110, 12.5.3); undefined for none. */
function chooseCoding(accepted: string | null): [name: string, compress: Compress] | undefined {
  const weights = new Map<string, number>()
  for (const each of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', weight = 'q=1'] = each.split(';').map(part => part.trim())
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight.replace(/^q=/, '')) || 0)
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = [...CODINGS].sort(([one], [other]) => weightOf(other) - weightOf(one))
  // Unless it has a weight of its own, identity is no reason against a coding.
  return best && weightOf(best[0]) > 0 && weightOf(best[0]) >= (weights.get('identity') ?? 0) ? best : undefined
}
