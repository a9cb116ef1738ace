import { setTimeout } from 'node:timers/promises'
import type { Store } from '../database/store.js'
import type { Report } from '../operation/log.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Something that a server does again and again, such as to forget what is old. */
export interface Chore {
  /** The name of the work, for the message about a failure. */
  what: string
  /** Resolves early when the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

/** Does chores one after the other, now and again, by default every hour. `stop` waits for what is under way. */
export function keepDoing(
  chores: readonly Chore[],
  report: Report,
  everyMs = HOUR_MS,
): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const { signal } = stopped
  const doAll = async () => {
    for (const { what, run } of chores) {
      if (signal.aborted) return
      await run(signal).catch(cause => {
        if (!signal.aborted) report(what, cause)
      })
    }
  }
  let doing = doAll()
  const timer = setInterval(() => {
    doing = doing.then(doAll)
  }, everyMs)
  return {
    async stop() {
      stopped.abort()
      clearInterval(timer)
      await doing
    },
  }
}

/**
 * Repeats a batch until it has done fewer than `most`, with pauses as long as the batches take: the embedded store
 * blocks the process.
 */
export async function inBatches(
  most: number,
  batch: () => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const begunAt = performance.now()
    if ((await batch()) < most) return
    await setTimeout(performance.now() - begunAt, undefined, { signal }).catch(() => {})
  }
}

/**
 * Does `work` unless a server of this store has started it within a day. Of servers that ask at the same time, one
 * does it. Work that fails may be started again at once.
 */
export async function onceADay(store: Store, name: string, work: () => Promise<void>): Promise<void> {
  const now = store.clock.now()
  const { numInsertedOrUpdatedRows: claimed } = await store.db
    .insertInto('chores')
    .values({ name, started_at: now })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ started_at: now })
        // A time that far in the future is that of a clock that was wrong.
        .where(is =>
          is.or([is('chores.started_at', '<=', now - DAY_MS), is('chores.started_at', '>', now + DAY_MS)]),
        ),
    )
    .executeTakeFirstOrThrow()
  if (!claimed) return
  try {
    await work()
  } catch (cause) {
    const mine = store.db.deleteFrom('chores').where('name', '=', name).where('started_at', '=', now)
    await mine.execute().catch(() => {}) // then it is started again in a day
    throw cause
  }
}
