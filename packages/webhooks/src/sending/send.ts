import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { codeOf, Refusal } from 'foldgate-server/parts'
import { Webhook } from 'standardwebhooks'
import type { Claimed, Receiver } from '../outbox/deliveries.js'
import { checkReceiver, hostOf, mayReach, NOT_REACHED } from './receiver.js'
import { type Resolve, resolveBy } from './resolve.js'

const TIMEOUT_MS = 15_000
const GONE = 410

/** The result of an attempt; `outcome` describes it for the owner of the webhook. */
export interface Attempted {
  is: 'delivered' | 'gone' | 'failed' | 'interrupted'
  status: number | null
  outcome: string
}

/** How requests are sent. */
export interface SendOptions {
  /** Addresses and ranges of the operator's network that may be reached. */
  allowed: readonly string[]
  /**
   * Default: DNS, and also the hosts file and search domains of the system when any
   * address of its network is allowed.
   */
  resolve?: Resolve
  /** Default: 15 seconds, from the lookup of the name to the head of the answer. */
  timeoutMs?: number
}

// Agents of our own: none takes a proxy from the environment, and no connection is used twice.
const HTTP = new HttpAgent({ keepAlive: false })
const HTTPS = new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 })

/** The instant of an attempt in epoch milliseconds, and the signal that interrupts it. */
interface AtOnce {
  now: number
  stopping: AbortSignal
}

/**
 * Sends a delivery once, signed as Standard Webhooks specifies. Connects only to addresses that were checked,
 * and does not read the body of the answer. Never rejects.
 */
export async function send(
  { id, body }: Pick<Claimed, 'id' | 'body'>,
  { url: target, secret }: Receiver,
  { allowed, resolve = resolveBy(allowed.length > 0), timeoutMs = TIMEOUT_MS, ...at }: SendOptions & AtOnce,
): Promise<Attempted> {
  const { now, stopping } = at
  // Not AbortSignal.any: Node 20 keeps its signals in memory as long as `stopping` lives.
  const ends = new AbortController()
  const { signal } = ends
  const stop = () => ends.abort(stopping.reason)
  stopping.addEventListener('abort', stop)
  if (stopping.aborted) stop()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    ends.abort(new Error('the timeout has expired'))
  }, timeoutMs)
  const failed = (outcome: string): Attempted => ({ is: 'failed', status: null, outcome })
  try {
    const url = checkReceiver(target, allowed)
    const addresses = await aborted(signal, resolve(hostOf(url), signal)).catch(cause => {
      if (signal.aborted) throw cause
      throw new Refusal('the host name of the receiver has no address')
    })
    if (!addresses.every(address => mayReach(url, address, allowed))) throw new Refusal(NOT_REACHED)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Foldgate-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
    }
    return judge(await post(url, addresses, { headers, body, signal }))
  } catch (cause) {
    if (stopping.aborted) return { is: 'interrupted', status: null, outcome: 'the server stopped' }
    if (isLate) return failed(`no answer within ${timeoutMs / 1000} s`)
    if (cause instanceof Refusal) return failed(cause.message)
    const code = codeOf(cause)
    return failed(/^[A-Z][A-Z\d_]+$/.test(code) ? `the connection failed (${code})` : 'the connection failed')
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', stop)
  }
}

/** Posts to one of the addresses of the host, and resolves with the HTTP status. */
function post(
  url: URL,
  addresses: readonly string[],
  { headers, body, signal }: { headers: Record<string, string | number>; body: string; signal: AbortSignal },
): Promise<number> {
  const found = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
  // Another lookup could return addresses that were not checked.
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = found
    if (all) done(null, found)
    else done(null, first?.address ?? '', first?.family)
  }
  const host = hostOf(url)
  const options = { method: 'POST', headers, lookup, signal }
  const named = isIP(host) === 0 ? { servername: host } : {}
  const request: ClientRequest =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, ...named, agent: HTTPS })
      : httpRequest(url, { ...options, agent: HTTP })
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('close', () => reject(new Error('closed without an answer')))
    request.on('response', response => {
      resolve(response.statusCode ?? 0)
      response.on('error', () => {}).destroy()
    })
    request.end(body)
  })
}

function judge(status: number): Attempted {
  if (status >= 200 && status <= 299) return { is: 'delivered', status, outcome: `answered ${status}` }
  if (status === GONE) return { is: 'gone', status, outcome: 'answered 410, so the webhook is disabled' }
  const redirect = status >= 300 && status <= 399 ? ': redirects are not followed' : ''
  return { is: 'failed', status, outcome: `answered ${status}${redirect}` }
}

/**
 * Settles as the promise does, or rejects when the signal aborts, because some lookups cannot be cancelled.
 */
async function aborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  let abort = () => {}
  const late = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
