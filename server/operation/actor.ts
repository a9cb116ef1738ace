import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname, userInfo } from 'node:os'
import { currentTag } from './requests.js'

/** Who changes something in a store, and from where. */
export interface Actor {
  /** The address of a user of the pages, or `command:` or `server:` and the system user of the process. */
  who: string
  /** The address of the client, or the host name of the machine; null when unknown. */
  from: string | null
}

const users = new AsyncLocalStorage<string>()

/** Runs `work` for a user of the pages; in it and in all that it starts, {@link actorOr} returns that user. */
export function actingAs<Result>(email: string, work: () => Result): Result {
  return users.run(email, work)
}

/**
 * Returns who acts now: `given`, or else the user whom the current code runs for, at the address of the client. The
 * process acts when there is neither.
 */
export function actorOr(ofProcess: Actor, given: Partial<Actor>): Actor {
  const { who = users.getStore(), from = currentTag()?.client } = given
  return who === undefined ? ofProcess : { who, from: from === undefined ? ofProcess.from : from }
}

/** The actor of a process that runs a command or a server. */
export function processActor(kind: 'command' | 'server'): Actor {
  return { who: `${kind}:${systemUser()}`, from: hostname() }
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown') // containers run as ids that have no name
  }
}
