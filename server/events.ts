import type { AnalyticsEvent } from 'foldgate'
import type { Log } from './operation/log.js'
import { currentTag } from './operation/requests.js'

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

/** Logs an event of the service on one line, failures with their reason. */
export function logEvent(log: Log, event: AnalyticsEvent): void {
  const [level, fields, message] = describe(event)
  log[level]({ ...currentTag(), ...fields }, message)
}

function describe(event: AnalyticsEvent): [level: keyof Log, fields: object, message: string] {
  switch (event.type) {
    case 'call': {
      const phasesMs = Object.fromEntries(Object.entries(event.phasesMs).map(([phase, ms]) => [phase, rounded(ms)]))
      return ['info', { ...event, durationMs: rounded(event.durationMs), phasesMs }, 'call']
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
      const { type, what, detail } = event
      return [what === 'died' ? 'warn' : 'info', { type, what }, `engine process ${what}: ${loggedReason(detail)}`]
    }
    case 'build': {
      const { cause, ...fields } = event
      if (cause === undefined) return ['info', fields, `build of ${fields.relation}`]
      return ['warn', fields, `build of ${fields.relation} failed: ${loggedReason(cause)}`]
    }
    case 'snapshot':
      return ['info', event, 'calls read a newer snapshot']
  }
}

/** Rounds to a hundredth of a millisecond. */
function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}
