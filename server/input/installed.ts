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

/** Another package that is missing, which the package for the audience leaves to its user. */
function also(message: string): string {
  const [, missing = ''] = /^Cannot find package '([^']+)'/.exec(message) ?? []
  return missing === '' || missing.startsWith('foldgate-') ? '' : `, with ${missing}`
}
