import { closestMatch } from 'leven'
import { Refusal } from '../input/refusal.js'
import { ALL_SETTINGS } from './config.js'

const PREFIX = 'FOLDGATE_'
/** Variables of our deployment, examples and tests, which a command may find in its environment. */
const NO_SETTINGS = ['SITE', 'SECRET', 'URL', 'KEY', 'SEED']
const OF_TESTS = /^TEST_/
/** What Kubernetes sets in every container for a service whose name begins with "foldgate". */
const OF_KUBERNETES = /(^|_)SERVICE_(HOST|PORT)(_|$)|(^|_)PORT_\d+_(TCP|UDP|SCTP)(_|$)/
const ADDRESS_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//

/**
 * Throws a Refusal when a variable that begins with `FOLDGATE_` is not a setting, since a misspelt name would leave the
 * setting at its default. An empty variable counts as not set. The message never contains a value: it may be secret.
 */
export function refuseUnknownVariables(environment: Readonly<Record<string, string | undefined>> = process.env): void {
  const known = ALL_SETTINGS.map(setting => setting.variable.slice(PREFIX.length))
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || !value) continue
    const name = variable.slice(PREFIX.length)
    if (known.includes(name) || NO_SETTINGS.includes(name) || OF_TESTS.test(name)) continue
    if (OF_KUBERNETES.test(name) || ADDRESS_OF_KUBERNETES.test(value)) continue
    const meant = closestMatch(name.toUpperCase(), known, { maxDistance: tolerance(name) })
    throw new Refusal(
      meant === undefined
        ? `${variable} is not a setting: unset it, or set one that "foldgate serve --help" lists`
        : `${variable} is not a setting: did you mean ${PREFIX}${meant}? "foldgate serve --help" lists all`,
    )
  }
}

/** How many letters may differ: more would suggest unrelated names. */
function tolerance(name: string): number {
  return name.length <= 3 ? 1 : Math.max(2, Math.floor(name.length / 4))
}
