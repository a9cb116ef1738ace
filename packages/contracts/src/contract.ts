import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'

/** One check of a port. Register it as a test with any test runner: `it(name, run)`. */
export interface Check {
  /** What the port must do, in English. */
  name: string
  /** Runs the check. Rejects with an error that says what the port did and what it should do. */
  run(): Promise<void>
}

/** The subject of one check: a port, with what the check needs to prepare and end it. */
export interface Subject<Port extends object> {
  /** The port to check. */
  port: Port
  /** Frees the resources of the port. Called after the check. */
  close?(): Promise<void> | void
}

/** Options of a contract. */
export interface ContractOptions {
  /** Time after which a call of the port counts as hanging, in milliseconds. Default: 10,000 (10 s). */
  patienceMs?: number
}

/** The checks of a contract, by name. */
export type Checks<Checked> = Readonly<Record<string, (subject: Checked) => Promise<void>>>

const PATIENCE_MS = 10_000

/**
 * Makes the checks of a contract. Each one gets its own subject, whose port calls are bounded by
 * `patienceMs`.
 */
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

/** The failure of a port call that did not settle in time. */
class Hanging extends AssertionError {}

/** Fails unless `holds`, saying what the port did and what it should do. */
export function must(holds: boolean, did: string, should: string): asserts holds {
  if (!holds) throw new AssertionError({ message: `${did}; it should ${should}` })
}

/** Fails unless the port answered the expected value. */
export function mustBe(did: string, found: unknown, expected: unknown): void {
  must(isDeepStrictEqual(found, expected), `${did} answered ${shown(found)}`, `answer ${shown(expected)}`)
}

/** Formats a value for a message. */
export function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 300) ?? String(value)
}

/**
 * Like `Promise.all`, but waits for all calls even if one fails, so that none runs while the subject is
 * closed.
 */
export async function together<Value>(calls: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}

/** A signal that never fires. */
export function wanted(): AbortSignal {
  return new AbortController().signal
}

/**
 * Fails when a call hangs after its signal is aborted, whether that happens before or during the call. The
 * call may reject or answer.
 */
export async function mustEndWhenAborted(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const during = new AbortController()
  const calls = [call(AbortSignal.abort()), call(during.signal)]
  during.abort()
  for (const outcome of await Promise.allSettled(calls))
    if (outcome.status === 'rejected' && outcome.reason instanceof Hanging) throw outcome.reason
}

/** Waits for a call; fails when it has not settled in time. */
export async function within<Value>(patienceMs: number, what: string, call: Value): Promise<Awaited<Value>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `${what} had not answered after ${patienceMs} ms; it should answer or reject`
    timer = setTimeout(() => reject(new Hanging({ message })), patienceMs)
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for a call; fails when it rejects, or has not settled in time. */
export async function answered<Value>(
  patienceMs: number,
  what: string,
  call: () => Promise<Value> | Value,
): Promise<Awaited<Value>> {
  try {
    return await within(patienceMs, what, call() as Value)
  } catch (cause) {
    if (cause instanceof AssertionError) throw cause
    throw new AssertionError({ message: `${what} rejected with ${cause}; it should answer` })
  }
}

/** Whether a call has failed because it had not settled in time. */
export function isHanging(cause: unknown): boolean {
  return cause instanceof Hanging
}

function patient<Port extends object>(port: Port, patienceMs: number): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) =>
        answered(patienceMs, `${String(name)}()`, () => member.apply(target, given))
    },
  })
}
