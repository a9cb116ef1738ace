import type { AnalyticsOptions } from '../options.js'

/** The methods that each port must have. */
const PORTS = {
  keys: ['authenticate'],
  projects: ['find', 'list'],
  snapshots: ['list', 'open'],
  exports: ['put', 'open'],
  quota: ['take'],
  usage: ['record'],
} as const

const OPTIONAL: readonly string[] = ['quota', 'usage']

/**
 * Throws a TypeError that says what to pass when a required option is missing. In plain JavaScript no compiler checks
 * this, and the first call would fail instead.
 */
export function checkRequired(options: AnalyticsOptions): void {
  if (!(options.catalogue?.relations instanceof Map))
    throw new TypeError('catalogue must be what defineCatalogue() has made')
  for (const [name, methods] of Object.entries(PORTS)) {
    const port: unknown = options[name as keyof typeof PORTS]
    if (port === undefined && OPTIONAL.includes(name)) continue
    const lacking = methods.filter(method => typeof (port as Record<string, unknown> | null)?.[method] !== 'function')
    if (lacking.length > 0)
      throw new TypeError(`${name} must be a port with ${methods.map(method => `${method}()`).join(' and ')}`)
  }
}
