import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { AnalyticsApi, RunningCall } from 'foldgate'
import { sql } from 'kysely'
import { nowIn, type Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import type { Chore } from './chores.js'
import { suspendedUsers } from './users.js'

/** How often a server tells the calls that it runs, and looks which of them are to end. */
export const TOLD_EVERY_MS = 1_000
/** Calls that end sooner are not told. */
const LEAST_MS = 1_000
/** A server that has told nothing for this long is gone, and its calls with it. */
const GONE_AFTER_MS = 15_000

/** A running call of some server. */
export interface ToldCall extends Omit<RunningCall, 'pid'> {
  /** Name of the server's machine, and ids of the process of the server and of the engine process: `web-1 4711/4720`. */
  process: string
}

/**
 * What a server does every second while calls run for longer: it writes them to the store, where commands on any machine find
 * them, and ends those that a command has marked and those whose keys were revoked since. `stop` removes what it told.
 */
export function runningCalls(
  store: Store,
  api: Pick<AnalyticsApi, 'running' | 'cancel'>,
): Chore & { stop(): Promise<void> } {
  const server = randomUUID()
  const { db } = store
  const ofServer = () => db.deleteFrom('running_calls').where('server_id', '=', server)
  let hasTold = false

  async function endMarked(): Promise<void> {
    const marked = await db
      .selectFrom('running_calls')
      .select('call_id')
      .where('server_id', '=', server)
      .where('ended_at', 'is not', null)
      .execute()
    for (const { call_id: callId } of marked) api.cancel({ callId })
  }

  async function endRevoked(running: readonly RunningCall[]): Promise<void> {
    const ids = [...new Set(running.map(({ keyId }) => keyId))]
    const revoked = await db
      .selectFrom('keys')
      .select('id')
      .where('id', 'in', ids) // tokens have no rows, and cannot be revoked
      .where(({ or, eb }) =>
        or([
          eb('revoked_at', 'is not', null),
          eb('expires_at', '<=', nowIn(store)),
          eb('user_id', 'in', suspendedUsers(store)),
        ]),
      )
      .execute()
    for (const { id: keyId } of revoked) api.cancel({ keyId }, { revoked: true })
  }

  async function tell(running: readonly RunningCall[]): Promise<void> {
    const rows = running.map(({ pid, ...call }) => {
      const process = `${hostname()} ${globalThis.process.pid}${pid === null ? '' : `/${pid}`}`
      const told: ToldCall = { ...call, process }
      return {
        call_id: call.callId,
        server_id: server,
        told_at: nowIn(store),
        call: JSON.stringify(told),
        ended_at: null,
      }
    })
    const ids = running.map(({ callId }) => callId)
    await ofServer()
      .$if(ids.length > 0, calls => calls.where('call_id', 'not in', ids))
      .execute()
    if (rows.length > 0)
      await db
        .insertInto('running_calls')
        .values(rows)
        .onConflict(conflict =>
          conflict.column('call_id').doUpdateSet(build => ({
            told_at: build.ref('excluded.told_at'),
            call: build.ref('excluded.call'),
          })),
        )
        .execute()
    hasTold = rows.length > 0
  }

  return {
    what: 'telling the calls that run',
    async run() {
      const running = api.running().filter(({ runningMs }) => runningMs >= LEAST_MS)
      if (running.length > 0) await endRevoked(running)
      if (running.length > 0 || hasTold) await tell(running)
      if (hasTold) await endMarked()
    },
    async stop() {
      if (hasTold) await ofServer().execute()
    },
  }
}

/** The calls that servers of the store run, the one that has run longest first, as of a second ago. */
export async function listRunning(store: Store): Promise<ToldCall[]> {
  const rows = await alive(store).select('call').execute()
  const calls = rows.map(({ call }) => JSON.parse(call) as ToldCall)
  return calls.sort((one, other) => other.runningMs - one.runningMs)
}

/** Marks a call, which the server that runs it ends within a second or two. Throws a Refusal when no server runs it. */
export async function endCall(store: Store, id: string): Promise<ToldCall> {
  const found = await alive(store).select('call').where('call_id', '=', id.toLowerCase()).executeTakeFirst()
  if (!found)
    throw new Refusal(
      `No server runs a call with the id ${quoted(id)}: see "foldgate running", and note that calls are told after a second`,
    )
  await store.db
    .updateTable('running_calls')
    .set({ ended_at: nowIn(store) })
    .where('call_id', '=', id.toLowerCase())
    .execute()
  return JSON.parse(found.call) as ToldCall
}

function alive(store: Store) {
  return store.db
    .selectFrom('running_calls')
    .where('told_at', '>', sql<number>`${nowIn(store)} - ${sql.lit(GONE_AFTER_MS)}`)
}

/** Forgets the calls of servers that were killed. */
export async function forgetRunning(store: Store): Promise<void> {
  const gone = sql<number>`${nowIn(store)} - ${sql.lit(4 * GONE_AFTER_MS)}`
  await store.db.deleteFrom('running_calls').where('told_at', '<', gone).execute()
}
