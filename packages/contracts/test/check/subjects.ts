import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directoryExports, directorySnapshots, memoryQuota, type UsageRecord } from 'foldgate'
import type { SnapshotManifest, SnapshotStore } from 'foldgate/sealing'
import { signToken, tokenKeys } from 'foldgate/tokens'
import type { ExportSubject } from '#contracts/export-port.js'
import type { KeySubject } from '#contracts/key-port.js'
import type { ProjectSubject } from '#contracts/project-port.js'
import type { Quota, QuotaSubject } from '#contracts/quota-port.js'
import type { SnapshotSubject } from '#contracts/snapshot-port.js'
import type { UsageSubject } from '#contracts/usage-port.js'
import { TestClock, TestHost } from '../../../../test/service/ports.js'
import { NAMES, pairOf } from '../../../../test/service/tokens.js'

/** Keys in memory. */
export function memoryKeys(): KeySubject {
  const host = new TestHost()
  const key = 'Key-of-Ada-1'
  const caller = { keyId: 'k-1', ownerId: 'ada', organizations: ['north', 'south'] }
  host.callers.set(key, caller)
  return { port: host.keyPort, key, caller, revoke: () => void host.callers.delete(key) }
}

/** Tokens that a host signs, and revokes by their ids. */
export async function tokensOfUsers(): Promise<KeySubject> {
  const { privateJwk, publicJwk } = pairOf('own')
  const revoked = new Set<string | null>()
  const port = tokenKeys({ ...NAMES, keys: [publicJwk], revoked: ({ id }) => revoked.has(id) })
  const organizations = ['north', 'south']
  const only = { relations: ['amounts'] }
  const of = { ...NAMES, subject: 'ada', organization: organizations, only, quota: 60 }
  const key = await signToken({ key: privateJwk, ...of, expiresInMs: 60_000, id: 'one' })
  const id = JSON.stringify([NAMES.issuer, organizations, 'ada'])
  const caller = { keyId: id, ownerId: id, organizations, only, quota: 60 }
  return { port, key, caller, revoke: () => void revoked.add('one') }
}

/** Projects in memory. */
export function memoryProjects(): ProjectSubject {
  const host = new TestHost()
  return { port: host.projectPort, add: project => host.addProject({ projectId: randomUUID(), ...project }).projectId }
}

/** The library's own snapshots in a folder. */
export async function folderSnapshots(): Promise<SnapshotSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-contract-'))
  const port = directorySnapshots(folder)
  return {
    port,
    seal: async projectId => (await publishSmall(port, projectId)).snapshotId,
    remove: projectId => port.prune(projectId, 1),
    close: () => rm(folder, { recursive: true }),
  }
}

/** Publishes a snapshot with one table, whose file has `more` bytes more. */
export async function publishSmall(
  snapshots: SnapshotStore,
  projectId: string,
  more = 0,
  signal?: AbortSignal,
): Promise<SnapshotManifest> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-sealing-'))
  const write = async (file: string, added = 0) => {
    const content = `${file} of ${randomUUID()}${'.'.repeat(added)}`
    await writeFile(join(folder, file), content)
    return { file, sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length }
  }
  try {
    const contents = {
      formatVersion: 1,
      projectId,
      assessmentId: randomUUID(),
      sealedAt: new Date().toISOString(),
      rootId: randomUUID(),
      entities: { ...(await write('entities.ids')), count: 1 },
      tables: [{ ...(await write('entities.parquet', more)), name: 'entities', rows: 1, columns: [] }],
    }
    return (await snapshots.publish(folder, contents, signal)).manifest
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The library's own exports in a folder. */
export async function folderExports(): Promise<ExportSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-contract-'))
  const options = { retentionMs: 3_600_000 }
  const opened = [directoryExports(folder, options)]
  return {
    port: opened[0] as (typeof opened)[0],
    async lapse() {
      const past = new Date(Date.now() - 3_600_001)
      for (const name of await readdir(folder)) await utimes(join(folder, name), past, past)
    },
    reopen() {
      const again = directoryExports(folder, options)
      opened.push(again)
      return again
    },
    async close() {
      for (const exports of opened) exports.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The library's own quota. */
export function countedQuota(quota: Quota): QuotaSubject {
  const clock = new TestClock()
  const caller = (keyId: string) => ({ keyId, ownerId: `owner of ${keyId}`, organizations: [`those of ${keyId}`] })
  const port = memoryQuota({ ...quota, callsPerOwner: 5, callsPerOrganization: 5, clock })
  return { port, callers: [caller('k-1'), caller('__proto__')], pass: ms => clock.advance(ms) }
}

/** Usage in memory. */
export function listedUsage(): UsageSubject {
  const records: UsageRecord[] = []
  return {
    port: { record: usage => void records.push(usage) },
    keyIds: ['k-1', 'k-2'],
    read(keyId) {
      const own = records.filter(record => record.keyId === keyId)
      const sum = (of: 'rows' | 'bytes') => own.reduce((total, record) => total + record[of], 0)
      return { records: own.length, rows: sum('rows'), bytes: sum('bytes') }
    },
  }
}
