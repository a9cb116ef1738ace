import type { AnalyticsEvent } from 'foldgate'
import type { Log } from './log.js'
import { currentTag } from './requests.js'

const MAX_REASON_CHARACTERS = 300

/** Returns the message of a thrown value on one line, without the stack, 300 characters at most. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
  // Only the first line: the engine quotes the caller's SQL on the following ones.
  const [first = ''] = text.split('\n')
  return first.replace(/\p{Cc}/gu, ' ').slice(0, MAX_REASON_CHARACTERS)
}

/** Returns the message of a thrown value for the log, with absolute paths shortened to their last segment. */
export function loggedReason(thrown: unknown): string {
  return reasonOf(thrown).replace(/(?:file:\/\/)?(?:\/[^\s/'":]+)+(?=\/[^\s/'":]+)/g, '…')
}

/** Events, but for that of the walls, which the server logs when it has found them. */
type LoggedEvent = Exclude<AnalyticsEvent, { type: 'sandbox' }>

/** Logs an event of the service on one line, failures with their reason. */
export function logEvent(log: Log, event: LoggedEvent): void {
  const [level, fields, message] = describe(event)
  log[level]({ ...currentTag(), ...fields }, message)
}

const MINUTE_MS = 60_000
const MIB = 1024 ** 2

/**
 * Returns a function that takes events, and warns at most once a minute when more than one engine process per
 * connection was replaced in the last minute without a fault, so that calls wait for new ones.
 */
export function watchRecycling(
  log: Log,
  connections: () => number,
  now = Date.now,
): (event: AnalyticsEvent) => void {
  let recycledAt: number[] = []
  let warnedAt = Number.NEGATIVE_INFINITY
  return event => {
    if (event.type !== 'engine' || event.what !== 'replaced' || event.reason !== 'memory-kept') return
    recycledAt = [...recycledAt.filter(at => at > now() - MINUTE_MS), now()]
    if (recycledAt.length <= connections() || warnedAt > now() - MINUTE_MS) return
    warnedAt = now()
    const { heldBytes, limitBytes } = event
    const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`
    const message =
      `${recycledAt.length} engine processes were replaced within a minute although nothing failed: the last one kept ` +
      `${mib(heldBytes)} of ${mib(limitBytes)} after its statements; raise the limit memoryLimit`
    log.warn({ type: 'engine', what: 'recycling', heldBytes, limitBytes }, message)
  }
}

function describe(event: LoggedEvent): [level: keyof Log, fields: object, message: string] {
  switch (event.type) {
    case 'call': {
      const phasesMs = Object.fromEntries(
        Object.entries(event.phasesMs).map(([phase, ms]) => [phase, rounded(ms)]),
      )
      const message = event.statement === undefined ? 'call' : 'slow call'
      return ['info', { ...event, durationMs: rounded(event.durationMs), phasesMs }, message]
    }
    case 'dependency': {
      const { type, port, cause } = event
      return ['warn', { type, port }, `dependency ${port} is down: ${loggedReason(cause)}`]
    }
    case 'fault': {
      const { type, reference, cause } = event
      return ['error', { type, reference }, `fault ${reference}: ${loggedReason(cause)}`]
    }
    case 'engine': {
      const { detail, ...fields } = event
      const reason = event.what === 'replaced' ? ` (${event.reason})` : ''
      const message = `engine process ${event.what}${reason}: ${loggedReason(detail)}`
      return [event.what === 'died' ? 'warn' : 'info', fields, message]
    }
    case 'build': {
      const { cause, ...fields } = event
      if (cause === undefined) return ['info', fields, `build of ${fields.relation}`]
      return ['warn', fields, `build of ${fields.relation} failed: ${loggedReason(cause)}`]
    }
    case 'catalogue':
      return ['error', event, `the catalogue has a mistake: ${event.place}: ${event.message}`]
    case 'snapshot':
      return ['info', event, 'calls read a newer snapshot']
  }
}

/** Rounds to a hundredth of a millisecond. */
function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}
