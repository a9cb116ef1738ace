import type { KeyPort } from 'foldgate'
import type { KeySubject } from '#contracts/key-port.js'
import { never, turn, type Wrong } from './wrong.js'

const NULL = 'answers null for a key that nobody has'
const WHOLE = 'takes a key as a whole and as it is'

const wrong = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (subject: KeySubject) => KeyPort['authenticate'],
): Wrong<KeySubject> => ({
  check,
  what,
  says,
  spoil: subject => ({ ...subject, port: { authenticate: spoilt(subject) } }),
})

export const wrongKeys: Wrong<KeySubject>[] = [
  wrong(
    'answers who is behind a key',
    'knows no key',
    /answered null; it should answer \{"keyId"/,
    () => async () => null,
  ),
  wrong(
    'answers who is behind a key',
    'omits an organization',
    /it should answer .*"north","south"/,
    ({ caller }) =>
      async () => ({ ...caller, organizations: ['north'] }),
  ),
  wrong(
    'answers who is behind a key',
    'misspells a limit',
    /whose only\.project is wrong: it must be absent/,
    ({ caller }) =>
      async () =>
        ({ ...caller, only: { project: [] } }) as never,
  ),
  wrong(
    'answers who is behind a key',
    'omits the limits',
    /it should answer .*"relations":\["a","b"\]/,
    ({ caller }) => {
      caller.only = { relations: ['b', 'a'] }
      return async () => ({ keyId: caller.keyId, ownerId: caller.ownerId, organizations: caller.organizations })
    },
  ),
  wrong('answers who is behind a key', 'omits the quota', /it should answer .*"quota":5/, ({ caller }) => {
    caller.quota = 5
    return async () => ({ keyId: caller.keyId, ownerId: caller.ownerId, organizations: caller.organizations })
  }),
  wrong(NULL, 'looks keys up in an object', /"__proto__" answered .*; it should answer null/, ({ key, caller }) => {
    const callers: Record<string, typeof caller> = { [key]: caller }
    return async sent => callers[sent] ?? null
  }),
  wrong(NULL, 'rejects unknown keys', /rejected with .*only a store that is down should reject/, ({ key, caller }) => {
    return async sent => (sent === key ? caller : Promise.reject(new Error('unknown key')))
  }),
  ...[
    ['accepts a key with a suffix', 'one more letter', (sent: string, key: string) => sent.startsWith(key)],
    ['accepts a prefix of a key', 'one letter fewer', (sent: string, key: string) => key.startsWith(sent)],
    ['trims the key', 'a blank before', (sent: string, key: string) => sent.trim() === key],
    ['ignores case', 'another case', (s: string, key: string) => s.toLowerCase() === key.toLowerCase()],
  ].map(([what, says, alike]) =>
    wrong(WHOLE, what as string, new RegExp(says as string), ({ key, caller }) => {
      return async sent => ((alike as (sent: string, key: string) => boolean)(sent, key) ? caller : null)
    }),
  ),
  wrong(
    'answers each of many calls at once for its own key',
    'shares a variable among calls',
    /should answer/,
    ({ port }) => {
      let mind = ''
      return async (sent, signal) => {
        mind = sent
        await turn()
        return port.authenticate(mind, signal)
      }
    },
  ),
  wrong('answers null from the moment in which a key is revoked', 'caches answers', /that was revoked/, ({ port }) => {
    const known = new Map<string, ReturnType<KeyPort['authenticate']>>()
    return (sent, signal) => {
      const answer = known.get(sent) ?? port.authenticate(sent, signal)
      known.set(sent, answer)
      return answer
    }
  }),
  wrong('lets no call hang when its answer is no longer wanted', 'falls silent', /had not answered/, ({ port }) => {
    return (sent, signal) => (signal.aborted ? never : port.authenticate(sent, signal))
  }),
]
