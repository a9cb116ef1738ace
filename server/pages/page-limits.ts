import { AnalyticsError, type Clock, LIMITS, memoryQuota, type QuotaPort } from 'foldgate'
import { cutWhenUnread, UnsentBytes } from 'foldgate/internal'
import type { Context } from 'koa'
import { digestOf } from '../store/digest.js'
import { networkOf } from './address.js'
import { PageError } from './form.js'
import type { Visit } from './session.js'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
const SECOND_MS = 1_000
/** `Retry-After` when only waiting for other readers helps. */
const BUSY_SECONDS = 5

/** Limits of the pages per user, per network without a session, and in total. */
export interface PageLimits {
  /**
   * How long a reader may read nothing of an answer, in milliseconds. Default:
   * that of the API, 30,000 (30 s).
   */
  stallTimeoutMs: number
  /** Requests per minute in one session. Default: 600, far more than a person clicks. */
  perSession: number
  /** Requests per minute of one user in all sessions. Default: 1,200. */
  perUser: number
  /** Requests per minute of one network without a session, files of the pages included. Default: 6,000. */
  perNetwork: number
  /**
   * Concurrent requests of one user. Default: 32; a browser sends six per host, or a few more over HTTP/2.
   */
  userAtOnce: number
  /** Concurrent requests of one network without a session. Default: 256. */
  networkAtOnce: number
  /** Unsent bytes of answers to one user, and bytes of forms that are being received. Default: 4 MiB. */
  userUnsentBytes: number
  /** The same for all users together. Default: 128 MiB. */
  usersUnsentBytes: number
  /** The same for one network without a session. Default: 4 MiB. */
  networkUnsentBytes: number
  /** The same for all networks together, so that they cannot use up what users need. Default: 64 MiB. */
  networksUnsentBytes: number
}

const DEFAULTS: PageLimits = {
  stallTimeoutMs: LIMITS.stallTimeoutMs.default,
  ...{ perSession: 600, perUser: 1_200, perNetwork: 6_000 },
  ...{ userAtOnce: 32, networkAtOnce: 256 },
  ...{ userUnsentBytes: 4 * MIB, usersUnsentBytes: 128 * MIB },
  ...{ networkUnsentBytes: 4 * MIB, networksUnsentBytes: 64 * MIB },
}

/** One request on its way through the limits. */
export interface LimitedRequest {
  /**
   * Counts the request for the user of a visit, or for its network when there is none. Throws a {@link
   * PageError} (429) when too many are under way or have been sent.
   */
  admit(visit: Visit | null): Promise<void>
  /**
   * Reads a form, whose bytes count as unsent until then. Throws a {@link PageError}
   * (503) when there are too many.
   */
  receive<Form>(maxBytes: number, read: () => Promise<Form>): Promise<Form>
  /**
   * Counts the bytes of the answer until it is sent or abandoned, and cuts it off when its reader stalls. A
   * request that was not admitted before is admitted for its network. `bytes` is the memory that it takes, by
   * default its length. Throws a {@link PageError} (429 or 503).
   */
  send(bytes?: number): Promise<void>
}

/** The requests under way and the unsent bytes of users, or those of networks. */
interface HolderBounds {
  unsent: UnsentBytes
  underWay: Map<string, number>
  atOnce: number
  who: string
}

/** Who is counted for a request: a user or a network. */
interface Holder {
  id: string
  bounds: HolderBounds
}

/** Opens entries for the requests of one server. */
export function admission(
  { clock, proxies }: { clock: Clock; proxies: number },
  given: Partial<PageLimits> = {},
): (context: Context) => LimitedRequest {
  const limits = { ...DEFAULTS, ...given }
  const inAMinute = { windowMs: MINUTE_MS, clock }
  const rates = {
    session: memoryQuota({ calls: limits.perSession, callsPerOwner: limits.perUser, ...inAMinute }),
    network: memoryQuota({ calls: limits.perNetwork, ...inAMinute }),
  }
  const boundsOf = (
    who: string,
    atOnce: number,
    ownerUnsentBytes: number,
    unsentBytes: number,
  ): HolderBounds => ({
    unsent: new UnsentBytes({ ownerUnsentBytes, unsentBytes }),
    underWay: new Map(),
    ...{ atOnce, who },
  })
  const users = boundsOf('You have', limits.userAtOnce, limits.userUnsentBytes, limits.usersUnsentBytes)
  const networks = boundsOf(
    'Your network has',
    ...([limits.networkAtOnce, limits.networkUnsentBytes, limits.networksUnsentBytes] as const),
  )

  return context => {
    let holder: Holder | null = null
    const admit: LimitedRequest['admit'] = async visit => {
      const network = networkOf(context, proxies)
      const { user = null, token = '' } = visit ?? {}
      holder = user ? { id: user.id, bounds: users } : { id: network, bounds: networks }
      enter(context, holder)
      if (user) await take(rates.session, digestOf(token), holder)
      else await take(rates.network, network, holder)
    }
    const count = (bytes: number) => {
      const { id, bounds } = holder ?? { id: networkOf(context, proxies), bounds: networks }
      try {
        return bounds.unsent.add(id, bytes)
      } catch (cause) {
        if (cause instanceof AnalyticsError) throw new PageError(503, cause.message, BUSY_SECONDS)
        throw cause
      }
    }
    return {
      admit,
      async receive(maxBytes, read) {
        const declared = Number(context.get('Content-Length') || maxBytes)
        const release = count(Math.min(declared, maxBytes) || 0)
        return read().finally(release)
      },
      async send(bytes = context.length ?? 0) {
        cutWhenUnread(context.res, limits.stallTimeoutMs)
        if (!holder) await admit(null)
        whenClosed(context, count(bytes))
      },
    }
  }
}

/** Counts a request as under way until its answer is sent or abandoned. */
function enter(context: Context, { id, bounds }: Holder): void {
  const { underWay, atOnce, who } = bounds
  const before = underWay.get(id) ?? 0
  if (before >= atOnce)
    throw new PageError(
      429,
      `${who} ${atOnce} requests under way: wait for their answers, then try again.`,
      1,
    )
  underWay.set(id, before + 1)
  whenClosed(context, () => {
    const left = (underWay.get(id) ?? 0) - 1
    if (left > 0) underWay.set(id, left)
    else underWay.delete(id)
  })
}

async function take(rate: QuotaPort, keyId: string, { id, bounds }: Holder): Promise<void> {
  const caller = { keyId, ownerId: id, organizations: [] }
  const { allowed, limit, resetMs } = await rate.take(caller, new AbortController().signal)
  if (allowed) return
  const seconds = Math.max(1, Math.ceil(resetMs / SECOND_MS))
  const words = `${bounds.who} sent more than ${limit} requests in a minute: try again in ${seconds} seconds.`
  throw new PageError(429, words, seconds)
}

function whenClosed({ res }: Context, work: () => void): void {
  if (res.closed)
    work() // closed earlier, so that no 'close' event follows
  else res.once('close', work)
}
