import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Caller } from 'foldgate'
import { keyPortContract, projectPortContract, quotaPortContract, usagePortContract } from 'foldgate-contracts'
import { openStore, type Store } from '#server/database/store.js'
import { endAssessment, startAssessment } from '#server/store/assessments.js'
import { createKey, revokeKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { keyPort, projectPort } from '#server/store/ports.js'
import { addProject } from '#server/store/projects.js'
import { quotaPort } from '#server/store/quota.js'
import { readUsage, usagePort } from '#server/store/usage.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from './command.js'
import { isEmbedded, storeAt, unexpected } from './stores.js'

const ORGANIZATIONS = ['contract-a', 'contract-b']
const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const scratch = scratchFolder()
let now = Date.UTC(2026, 0, 20)

/** Opens a store with two organizations that Ada is a member of, and returns it with a function that closes it. */
async function openWithAda(): Promise<{ store: Store; close(): Promise<void>; userId: string }> {
  const store = await openStore(await storeAt(join(scratch.path, `${randomUUID()}.db`)), { clock: { now: () => now } })
  for (const key of ORGANIZATIONS) await addOrganization(store, { key, name: key })
  const { id } = await addUser(store, { email: ADA, organizations: ORGANIZATIONS })
  return { store, close: () => store.close(), userId: id }
}

async function keyIds(store: Store): Promise<[string, string]> {
  const make = async () => (await createKey(store, { user: ADA, organizations: ORGANIZATIONS })).id
  return [await make(), await make()]
}

/** Ada and Bob, each with a key for one of the organizations. */
async function callers(store: Store): Promise<[Caller, Caller]> {
  await addUser(store, { email: BOB, organizations: ORGANIZATIONS })
  const make = async (user: string, organizations: string[]) => {
    const { key } = await createKey(store, { user, organizations })
    const caller = await keyPort(store).authenticate(key, AbortSignal.timeout(60_000))
    if (!caller) throw new Error('the key is valid')
    return caller
  }
  return [await make(ADA, ['contract-a']), await make(BOB, ['contract-b'])]
}

const CONTRACTS = {
  keys: keyPortContract(async () => {
    const { store, close, userId } = await openWithAda()
    const { id, key } = await createKey(store, { user: ADA, organizations: ORGANIZATIONS })
    return {
      port: keyPort(store),
      key,
      caller: { keyId: id, ownerId: userId, organizations: ORGANIZATIONS },
      revoke: async () => void (await revokeKey(store, id)),
      close,
    }
  }),

  projects: projectPortContract(async () => {
    const { store, close } = await openWithAda()
    return {
      port: projectPort(store),
      async add({ name, organization, completed, running }) {
        const { projectId } = await addProject(store, { name, organization })
        if (completed) await endAssessment(store, (await startAssessment(store, projectId)).id, 'completed')
        if (running) await startAssessment(store, projectId)
        return projectId
      },
      close,
    }
  }),

  quota: quotaPortContract(async quota => {
    const { store, ...opened } = await openWithAda()
    const limits = { ...quota, callsPerOwner: quota.calls, callsPerOrganization: quota.calls }
    const port = await quotaPort(store, limits, unexpected)
    // PostgreSQL uses its own clock.
    const pass = async (ms: number) => {
      if (isEmbedded) now += ms
      else await setTimeout(ms)
    }
    return { port, callers: await callers(store), pass, close: closing(port, opened) }
  }),

  usage: usagePortContract(async () => {
    const { store, ...opened } = await openWithAda()
    const port = usagePort(store, unexpected)
    return {
      port,
      keyIds: await keyIds(store),
      async read(key) {
        await port.close() // writes what is pending
        const days = await readUsage(store, { key, days: 30 })
        const sum = (of: (day: (typeof days)[0]) => number) => days.reduce((total, day) => total + of(day), 0)
        return {
          records: sum(day => day.calls + day.downloads),
          rows: sum(day => day.rows),
          bytes: sum(day => day.bytes + day.downloadBytes),
        }
      },
      close: closing(port, opened),
    }
  }),
}

function closing(port: { close(): Promise<void> }, opened: { close(): Promise<void> | void }) {
  return async () => {
    await port.close()
    await opened.close()
  }
}

for (const [name, checks] of Object.entries(CONTRACTS))
  describe(`the store fulfils the contract for ${name}`, () => {
    for (const { name, run } of checks) it(name, run)
  })
