import { isDeepStrictEqual } from 'node:util'
import type { Caller, KeyPort } from 'foldgate'
import { checkCaller } from 'foldgate/internal'
import {
  type Check,
  type ContractOptions,
  contract,
  must,
  mustEndWhenAborted,
  type Subject,
  shown,
  together,
  wanted,
} from './contract.js'

/** A port of keys to check, with one valid key. */
export interface KeySubject extends Subject<KeyPort> {
  /** A valid key, as a caller sends it. */
  key: string
  /** The caller behind the key, with its limits and its quota if your keys have any. */
  caller: Caller
  /** Revokes the key, as an administrator would. */
  revoke(): Promise<void> | void
}

/** Unknown keys, chosen to break lookups in objects, patterns, SQL and paths. */
const UNKNOWN = [
  'x',
  '__proto__',
  'constructor',
  'toString',
  '*',
  '%',
  "'OR'1'='1",
  '"',
  '\\',
  '../key',
  'x'.repeat(8192),
]

/**
 * Returns the checks that a `KeyPort` must pass. Each check makes its own subject with `makeSubject` when it runs.
 *
 * @param makeSubject - Makes a port, a `key` that it knows with its `caller`, and `revoke()`, which ends that key as
 * the host would. It may have `close()`, which the check calls at its end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = keyPortContract(() => {
 *   const database = new Database()
 *   const { key, caller } = database.addKey({ ownerId: 'ada', organizations: ['north', 'south'] })
 *   return { port: database.keys, key, caller, revoke: () => database.revokeKey(caller.keyId) }
 * })
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function keyPortContract(
  makeSubject: () => KeySubject | Promise<KeySubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(makeSubject, CHECKS, options)
}

async function mustKnow({ port, key, caller }: KeySubject): Promise<void> {
  const { keyId, ownerId } = caller
  const known = await port.authenticate(key, wanted())
  mustBeWellFormed(known)
  const found = known && { ...known, ...inOrder(known) }
  const expected = { keyId, ownerId, ...inOrder(caller) }
  const alike = found !== null && isDeepStrictEqual({ ...found, ...expected }, found)
  must(alike, `authenticate() of a valid key answered ${shown(known)}`, `answer ${shown(expected)}`)
}

/** What lists of a caller hold, whatever their order; `only` and `quota` are undefined for a caller without limits. */
function inOrder({ organizations = [], only, quota }: Pick<Caller, 'organizations' | 'only' | 'quota'>) {
  const limits = Object.entries(only ?? {}).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value].sort() : value,
  ])
  return { organizations: [...organizations].sort(), only: only && Object.fromEntries(limits), quota }
}

/** Fails for a caller that the service would refuse, so that a key with a misspelt limit is not open. */
function mustBeWellFormed(caller: Caller | null): void {
  try {
    checkCaller(caller)
  } catch (cause) {
    must(false, (cause as Error).message, 'answer a caller whose fields are as the port promises')
  }
}

async function mustNotKnow(port: KeyPort, key: string, what: string): Promise<void> {
  const answer = await port.authenticate(key, wanted()).catch((cause: unknown) => {
    must(
      false,
      `authenticate() of ${what} rejected with ${cause}`,
      'answer null: only a store that is down should reject',
    )
  })
  must(answer === null, `authenticate() of ${what} answered ${shown(answer)}`, 'answer null')
}

const CHECKS = {
  'answers who is behind a key': mustKnow,

  async 'answers null for a key that nobody has'({ port }: KeySubject) {
    for (const key of UNKNOWN) await mustNotKnow(port, key, `the unknown key ${shown(key.slice(0, 20))}`)
  },

  async 'takes a key as a whole and as it is'({ port, key }: KeySubject) {
    await mustNotKnow(port, `${key}x`, 'a key with one more letter')
    await mustNotKnow(port, key.slice(0, -1), 'a key with one letter fewer')
    await mustNotKnow(port, ` ${key}`, 'a key with a blank before it')
    for (const changed of [key.toUpperCase(), key.toLowerCase()])
      if (changed !== key) await mustNotKnow(port, changed, 'a key in another case')
  },

  async 'answers each of many calls at once for its own key'(subject: KeySubject) {
    const calls = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? mustKnow(subject)
        : mustNotKnow(subject.port, `unknown-${index}`, 'an unknown key among others'),
    )
    await together(calls)
  },

  async 'answers null from the moment in which a key is revoked'(subject: KeySubject) {
    await mustKnow(subject)
    await subject.revoke()
    await mustNotKnow(subject.port, subject.key, 'a key that was revoked')
  },

  async 'lets no call hang when its answer is no longer wanted'(subject: KeySubject) {
    await mustEndWhenAborted(signal => subject.port.authenticate(subject.key, signal))
    await mustKnow(subject)
  },
}
