import type { QuotaPort, QuotaState, UsageRecord } from 'foldgate'
import type { QuotaSubject } from '#contracts/quota-port.js'
import type { UsageSubject } from '#contracts/usage-port.js'
import { never, turn, type Wrong } from './wrong.js'

const DOWN = 'counts down to nothing and allows no more'
const ANEW = 'begins anew when the window is over, and not before'

const wrongTake = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (take: QuotaPort['take'], subject: QuotaSubject) => QuotaPort['take'],
): Wrong<QuotaSubject> => ({
  check,
  what,
  says,
  spoil: subject => ({ ...subject, port: { take: spoilt(subject.port.take, subject) } }),
})

const wrongState = (check: string, what: string, says: RegExp, spoilt: (state: QuotaState) => Partial<QuotaState>) =>
  wrongTake(check, what, says, take => async (caller, signal) => {
    const state = await take(caller, signal)
    return { ...state, ...spoilt(state) }
  })

export const wrongQuotas: Wrong<QuotaSubject>[] = [
  wrongState(DOWN, 'allows everything', /answered \{"allowed":true,"remaining":0\}; .*false/, () => ({
    allowed: true,
  })),
  wrongState(DOWN, 'reports the calls left before this one', /"remaining":5/, ({ remaining }) => ({
    remaining: remaining + 1,
  })),
  wrongState(DOWN, 'reports another limit', /report the quota/, () => ({ limit: 600 })),
  wrongState(DOWN, 'reports a negative resetMs', /report 0 to windowMs/, () => ({ resetMs: -2 })),
  wrongTake(
    'counts each key for itself',
    'counts all keys together',
    /answered/,
    take => (caller, signal) => take({ ...caller, keyId: 'one' }, signal),
  ),
  wrongTake(
    'allows as many of the calls at once as there are left',
    'reads its count before it raises it',
    /allowed 20/,
    take => {
      let taken = 0
      return async (caller, signal) => {
        const state = await take(caller, signal)
        const before = taken
        await turn()
        taken = before + 1
        return { ...state, allowed: before < state.limit }
      }
    },
  ),
  wrongTake(ANEW, 'never starts a new window', /answered \{"allowed":false/, take => {
    let taken = 0
    return async (caller, signal) => {
      const state = await take(caller, signal)
      taken += 1
      return { ...state, allowed: taken <= state.limit, remaining: Math.max(0, state.limit - taken) }
    }
  }),
  wrongState(ANEW, 'starts a new window with every call', /report at most/, ({ windowMs }) => ({ resetMs: windowMs })),
  wrongTake('lets no call hang when its answer is no longer wanted', 'falls silent', /had not answered/, take => {
    return (caller, signal) => (signal.aborted ? never : take(caller, signal))
  }),
]

const wrongRecord = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (record: (usage: UsageRecord) => unknown) => (usage: UsageRecord) => unknown,
): Wrong<UsageSubject> => ({
  check,
  what,
  says,
  spoil: ({ port, ...subject }) => ({
    ...subject,
    port: { record: spoilt(usage => port.record(usage)) as UsageSubject['port']['record'] },
  }),
})

const EVERY = 'counts every call and download'

export const wrongUsages: Wrong<UsageSubject>[] = [
  wrongRecord(
    EVERY,
    'counts only successful calls',
    /"records":3/,
    record => usage => usage.outcome === 'OK' && record(usage),
  ),
  wrongRecord(
    EVERY,
    'counts in 32 bits',
    /"bytes":100\}/,
    record => usage => record({ ...usage, bytes: usage.bytes | 0 }),
  ),
  wrongRecord(EVERY, 'drops records that equal an earlier one', /"records":4/, record => {
    const seen = new Set<string>()
    return usage => {
      const text = JSON.stringify({ ...usage, callId: '' })
      return seen.has(text) || (seen.add(text) && record(usage))
    }
  }),
  wrongRecord(
    'counts each key for itself',
    'counts everything for one key',
    /"records":1.* was recorded/,
    record => usage => record({ ...usage, keyId: 'k-2' }),
  ),
  wrongRecord(
    'counts calls of more than one day, in whatever order they end',
    'drops records older than the last one',
    /"records":2/,
    record => {
      let last = 0
      return usage => {
        if (usage.at < last) return
        last = usage.at
        record(usage)
      }
    },
  ),
  {
    check: 'loses none of many at once',
    what: 'loses concurrent updates',
    says: /"records":1,/,
    spoil(subject) {
      const totals = new Map<string, { records: number; rows: number; bytes: number }>()
      const read = (keyId: string) => totals.get(keyId) ?? { records: 0, rows: 0, bytes: 0 }
      const record = async ({ keyId, rows, bytes }: UsageRecord) => {
        const before = read(keyId)
        await turn()
        totals.set(keyId, { records: before.records + 1, rows: before.rows + rows, bytes: before.bytes + bytes })
      }
      return { ...subject, read, port: { record } }
    },
  },
]
