import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'

/** One thing that a port has to do, to be registered as a test with any runner: `it(name, run)`. */
export interface Check {
  /** What the port has to do, in English. */
  name: string
  /** Rejects with an error that says what the port did and what it should do. */
  run(): Promise<void>
}

/** A port as a check finds it, and what ends it afterwards. */
export interface Subject<Port extends object> {
  /** The port to check. */
  port: Port
  /** Ends it, after its check. */
  close?(): Promise<void> | void
}

/** How a contract is run. */
export interface ContractOptions {
  /** How long a port may take for one answer before it counts as hanging, milliseconds. Default 10 s. */
  patienceMs?: number
}

/** What checks do, by their names. */
export type Checks<Checked> = Readonly<Record<string, (subject: Checked) => Promise<void>>>

const PATIENCE_MS = 10_000

/** Each check has a subject of its own, and no answer of its port is waited for without end. */
export function contract<Port extends object, Checked extends Subject<Port>>(
  make: () => Checked | Promise<Checked>,
  checks: Checks<Checked>,
  { patienceMs = PATIENCE_MS }: ContractOptions,
): Check[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const subject = await make()
      try {
        await check({ ...subject, port: patient(subject.port, patienceMs) })
      } finally {
        await subject.close?.()
      }
    },
  }))
}

/** A port that does not answer at all. */
class Hanging extends AssertionError {}

/** Fails unless `holds`: what the port did, and what it should do. */
export function must(holds: boolean, did: string, should: string): asserts holds {
  if (!holds) throw new AssertionError({ message: `${did}; it should ${should}` })
}

/** Fails unless what the port answered is what it should. */
export function mustBe(did: string, found: unknown, expected: unknown): void {
  must(isDeepStrictEqual(found, expected), `${did} answered ${shown(found)}`, `answer ${shown(expected)}`)
}

/** A value for a message. */
export function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 300) ?? String(value)
}

/** Waits for all of them, also when one fails: what still goes on would be in the way of the subject's end. */
export async function together<Value>(calls: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}

/** A signal that never fires. */
export function wanted(): AbortSignal {
  return new AbortController().signal
}

/**
 * Fails when a call whose answer is no longer wanted is left hanging, whether its signal has fired before or fires during
 * it. Whether such a call rejects or answers is all the same.
 */
export async function mustEndWhenAborted(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const during = new AbortController()
  const calls = [call(AbortSignal.abort()), call(during.signal)]
  during.abort()
  for (const outcome of await Promise.allSettled(calls))
    if (outcome.status === 'rejected' && outcome.reason instanceof Hanging) throw outcome.reason
}

function patient<Port extends object>(port: Port, patienceMs: number): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...given: unknown[]) => {
        let timer: NodeJS.Timeout | undefined
        const late = new Promise<never>((_, reject) => {
          const message = `${String(name)}() had not answered after ${patienceMs} ms; it should answer or reject`
          timer = setTimeout(() => reject(new Hanging({ message })), patienceMs)
        })
        try {
          return (await Promise.race([member.apply(target, given), late])) as unknown
        } catch (cause) {
          if (cause instanceof AssertionError) throw cause
          throw new AssertionError({ message: `${String(name)}() rejected with ${cause}; it should answer` })
        } finally {
          clearTimeout(timer)
        }
      }
    },
  })
}
