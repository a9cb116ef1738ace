import { Refusal } from './refusal.js'

/**
 * Imports what an optional package has for the server. Throws a Refusal that names the package, and `what` needs it, when it
 * is not installed. The server names it by this string alone, so that it can be built and installed without.
 */
export async function installed<Module>(what: string, name: `foldgate-${string}`): Promise<Module> {
  try {
    return await import(`${name}/server`)
  } catch (cause) {
    const { code, message = '' } = cause as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Refusal(
      `${what} needs the package ${name}: install it beside foldgate-server${also(message)}`,
      {
        cause,
      },
    )
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
        return (await installed<{ addition: object }>(what, name)).addition
      } catch (cause) {
        if (!(cause instanceof Refusal) || !lacks(cause, name)) throw cause
        return `${what} (${name})`
      }
    }),
  )
  return {
    added: looked.filter(each => typeof each === 'object'),
    missing: looked.filter(each => typeof each === 'string'),
  }
}

/** Whether it is the package itself that is missing, and not one that it needs. */
function lacks({ cause }: Refusal, name: string): boolean {
  return cause instanceof Error && cause.message.startsWith(`Cannot find package '${name}'`)
}

/** Another package that is missing, which the package for the audience leaves to its user. */
function also(message: string): string {
  const [, missing = ''] = /^Cannot find package '([^']+)'/.exec(message) ?? []
  return missing === '' || missing.startsWith('foldgate-') ? '' : `, with ${missing}`
}
