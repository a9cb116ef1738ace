import { loggedReason } from '../operation/event-log.js'
import { Refusal } from './refusal.js'

/**
 * Imports what an optional package has for the server. Throws a Refusal that names the package when it is not installed, and
 * that `what` needs it, or when it cannot be loaded. The server names it by this string alone, so that it can be built and
 * installed without.
 */
export async function installed<Module>(what: string, name: `foldgate-${string}`): Promise<Module> {
  try {
    return await import(`${name}/server`)
  } catch (cause) {
    const missing = missingPackage(cause)
    if (missing === null)
      throw new Refusal(`The package ${name} cannot be loaded: ${loggedReason(cause)}`, { cause })
    const also = missing.startsWith('foldgate-') ? '' : `, with ${missing}`
    throw new Refusal(`${what} needs the package ${name}: install it beside foldgate-server${also}`, {
      cause,
    })
  }
}

/**
 * Packages that add to the server when they are installed, and what an operator misses without them. The pages of users
 * link to what they add in this order.
 */
const ADDING: readonly [name: `foldgate-${string}`, what: string][] = [
  ['foldgate-webhooks', 'webhooks'],
  ['foldgate-explore', 'the query page and saved queries'],
  ['foldgate-transfer', 'the commands import, project export, project import and snapshot diff'],
]

let found: Promise<{ added: object[]; missing: string[] }> | undefined

/**
 * What the installed packages add to the server: their `/server` exports an `addition`, of which each room of the
 * server knows the part that it asks for. Each is imported once in a process.
 */
export async function additions<Part extends object>(): Promise<readonly Partial<Part>[]> {
  found ??= lookForAdditions()
  return (await found).added
}

/** What an operator misses for want of a package, each with the name of the package. */
export async function missingAdditions(): Promise<readonly string[]> {
  found ??= lookForAdditions()
  return (await found).missing
}

async function lookForAdditions() {
  const looked = await Promise.all(
    ADDING.map(async ([name, what]) => {
      try {
        const { addition } = await installed<{ addition?: object }>(what, name)
        if (addition) return addition
        throw new Refusal(
          `The package ${name} is of another version than foldgate-server: install the same one of both`,
        )
      } catch (cause) {
        if (!(cause instanceof Refusal) || missingPackage(cause.cause) !== name) throw cause
        return `${what} (${name})`
      }
    }),
  )
  return {
    added: looked.filter(each => typeof each === 'object'),
    missing: looked.filter(each => typeof each === 'string'),
  }
}

/** The package whose absence is the cause of a failed import; null when the cause is another one. */
function missingPackage(cause: unknown): string | null {
  return (cause instanceof Error && /^Cannot find package '([^']+)'/.exec(cause.message)?.[1]) || null
}
