import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Answerer } from './exchange.js'
import { weightsOf } from './respond.js'

type Compress = (body: Uint8Array) => Promise<Uint8Array>
type Coding = [name: string, compress: Compress]

/**
 * Smaller bodies are sent as they are: compressing them would cost as much time as it saves at 100 Mbit/s.
 */
const LEAST_BYTES = 4096

const { brotliCompress, constants, gzip } = zlib
/** Node 22.15 and later. */
const { zstdCompress } = zlib as { zstdCompress?: (body: Uint8Array, done: zlib.CompressCallback) => void }

/**
 * Codings by name, the preferred one first, each at its lowest level: higher levels take more time than they
 * save on a network of 100 Mbit/s (bench/README.md).
 */
const CODINGS: ReadonlyMap<string, Compress> = new Map([
  ...(zstdCompress ? [['zstd', promisify(zstdCompress)] as const] : []),
  ['br', body => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['gzip', body => promisify(gzip)(body, { level: 1 })],
])

/** Compresses answers that are in memory, and so no downloads, with a coding that the request accepts. */
export function compressAnswers(answer: Answerer): Answerer {
  /** Compressed documents, which are the same for every request: body and coding to bytes. */
  const kept = new WeakMap<object, Map<string, Promise<Uint8Array>>>()
  const compressed = (body: readonly Uint8Array[], [name, compress]: Coding, isDocument: boolean) => {
    if (!isDocument) return compress(Buffer.concat(body))
    const codings = kept.get(body) ?? new Map<string, Promise<Uint8Array>>()
    kept.set(body, codings)
    const bytes = codings.get(name) ?? compress(Buffer.concat(body))
    codings.set(name, bytes)
    return bytes
  }
  return async request => {
    const answered = await answer(request)
    const { status, body } = answered
    const isLarge = Array.isArray(body) && Number(answered.headers['content-length']) >= LEAST_BYTES
    if (!isLarge && status !== 304) return answered
    const vary = [answered.headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ')
    const headers: Record<string, string> = { ...answered.headers, vary }
    const coding = isLarge ? chooseCoding(request.header('accept-encoding')) : undefined
    if (!coding) return { ...answered, headers }
    const isDocument = headers['cache-control']?.startsWith('public') ?? false
    const bytes = await compressed(body as readonly Uint8Array[], coding, isDocument).catch(() => null)
    if (!bytes) return { ...answered, headers } // no memory is left for it: the answer is sent as it is
    const changed = { 'content-encoding': coding[0], 'content-length': String(bytes.byteLength) }
    return { ...answered, headers: { ...headers, ...changed }, body: [bytes] }
  }
}

/**
 * The coding with the highest weight in an `Accept-Encoding` header (RFC 9110, 12.5.3); undefined for none.
 */
function chooseCoding(accepted: string | null): Coding | undefined {
  const weights = weightsOf(accepted)
  const known = (name: string) => weights.get(name) ?? (name === 'gzip' ? weights.get('x-gzip') : undefined)
  const weightOf = (name: string) => known(name) ?? weights.get('*') ?? 0
  const [best] = [...CODINGS].sort(([one], [other]) => weightOf(other) - weightOf(one))
  // Identity counts against a coding only if it has a weight of its own.
  return best && weightOf(best[0]) > 0 && weightOf(best[0]) >= (weights.get('identity') ?? 0)
    ? best
    : undefined
}
