import { Refusal } from './refusal.js'

/**
 * Loads what needs a package for one audience, which may not be installed. Throws a Refusal then; `what` needs the package.
 */
export async function installed<Module>(
  what: string,
  name: `foldgate-${string}`,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
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
