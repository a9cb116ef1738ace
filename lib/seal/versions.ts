import { createHash } from 'node:crypto'
import type { Catalogue } from '../catalogue/catalogue.js'
import { inParallel } from '../flow/in-parallel.js'
import { RecentMap } from '../flow/recent.js'
import { workOfNobody } from '../flow/work.js'
import { manifestIn, type SnapshotManifest, type StoredTable } from '../snapshots/manifest.js'
import type { PublishedSnapshot, SnapshotStore } from '../snapshots/store.js'
import { type TableFeed, versionsOf } from '../sources/feed.js'
import type { SealRequest } from './request.js'

/** Digests of the versions of tables, by their names. */
export type Versions = ReadonlyMap<string, string>

/** A tenant by its value of the column that tells tenants apart; null for a package that is sealed on its own. */
export type Key = string | null

/** The versions that the sources of all tables told. */
export interface ToldVersions {
  /** The versions of the rows of a tenant; null unless each source tells one. */
  of(key: Key): Versions | null
  /** The tenants that sources name; null stands for rows of none. */
  keys: ReadonlySet<Key>
}

/** The projects whose newest snapshots may have the rows of the sources. */
export interface Candidates {
  projects: ReadonlyMap<Key, string>
  /** What the tables of a tenant come from. */
  assessmentOf(key: Key): string | undefined | Promise<string | undefined>
}

/** What sources told, and the newest snapshots that have these rows. */
export interface ComparedVersions {
  versions: ToldVersions | null
  unchanged: ReadonlyMap<Key, SnapshotManifest>
  /** Whether rows are to be read. */
  isRead: boolean
  /** Tenants whose rows are to be read; undefined when those of all are. */
  only?: readonly string[]
}

/** Of so many tables, the versions that were told after their snapshot are remembered. */
const REMEMBERED = 65_536
/** Versions that were told before rows were read which a snapshot had already, in each store, by project and id. */
const toldLater = new WeakMap<SnapshotStore, RecentMap<string, Versions>>()

/**
 * Asks the sources of all tables for the versions of their rows, and looks for the newest snapshots that have these. Everything
 * is to be read unless each source tells a version.
 */
export async function compareVersions(
  feeds: ReadonlyMap<string, TableFeed>,
  { catalogue, snapshots }: { catalogue: Catalogue; snapshots: SnapshotStore },
  { projects, assessmentOf, by, signal }: Candidates & Pick<SealRequest, 'by' | 'signal'>,
): Promise<ComparedVersions> {
  const versions = await askVersions(feeds, catalogue, { by, signal })
  const unchanged = new Map<Key, SnapshotManifest>()
  if (!versions) return { versions, unchanged, isRead: true }
  await inParallel([...projects], async ([key, projectId]) => {
    signal?.throwIfAborted()
    const own = versions.of(key)
    const given = { projectId, assessment: () => assessmentOf(key), signal }
    // Whatever is wrong with the project is told when its rows are sealed.
    const found = own && (await unchangedAt(own, snapshots, given).catch(() => null))
    if (found) unchanged.set(key, found)
  })
  signal?.throwIfAborted()
  if (unchanged.size === 0) return { versions, unchanged, isRead: true }
  const ofNone = [...versions.keys].filter(key => !projects.has(key))
  const changed = [...projects.keys()].filter(key => !unchanged.has(key))
  const only = [...changed, ...ofNone].filter(key => key !== null)
  return { versions, unchanged, isRead: changed.length + ofNone.length > 0, only }
}

/**
 * The versions of rows that were read, as far as sources still tell them: rows that changed meanwhile may be of either version,
 * and would never be read again if a source came back to the first one.
 */
export async function stillTold(
  versions: ToldVersions | null,
  feeds: ReadonlyMap<string, TableFeed>,
  catalogue: Catalogue,
  asked: Pick<SealRequest, 'by' | 'signal'>,
): Promise<ToldVersions | null> {
  const { by, signal } = asked
  const now = versions && (await askVersions(feeds, catalogue, { by, signal }))
  if (!versions || !now) return null
  const isSame = (one: Versions, other: Versions | null) =>
    [...one].every(([table, version]) => other?.get(table) === version)
  return {
    of(key) {
      const told = versions.of(key)
      return told && isSame(told, now.of(key)) ? told : null
    },
    keys: versions.keys,
  }
}

/**
 * The digest of a version is also of what the catalogue says, and of whose the rows are: when that changes, rows are read again.
 */
async function askVersions(
  feeds: ReadonlyMap<string, TableFeed>,
  { relations, hierarchy, rules }: Catalogue,
  { by, signal }: { by: string | undefined; signal: AbortSignal | undefined },
): Promise<ToldVersions | null> {
  const told = await versionsOf(feeds, { signal })
  if (!told) return null
  const digest = (known: unknown) => createHash('sha256').update(JSON.stringify(known)).digest('hex')
  const tables = [...told].map(([table, version]) => {
    const feed = feeds.get(table)
    const isOrdered = feed?.source.isOrdered === true
    const known = [isOrdered, by ?? null, feed?.by ?? null, relations.get(table), hierarchy, rules]
    return { table, version, definition: digest(known) }
  })
  return {
    of(key) {
      const own = new Map<string, string>()
      for (const { table, version, definition } of tables) {
        const text = typeof version === 'string' ? version : version.get(key)
        if (text === undefined) return null
        own.set(table, digest([text, key, definition]))
      }
      return own
    },
    keys: new Set(tables.flatMap(({ version }) => (typeof version === 'string' ? [] : [...version.keys()]))),
  }
}

/**
 * The manifest of the newest snapshot of a project, if it is whole, of the same assessment, and has the same tables at these
 * versions; null otherwise.
 */
async function unchangedAt(
  versions: Versions,
  snapshots: SnapshotStore,
  {
    projectId,
    assessment,
    signal = workOfNobody().signal,
  }: {
    projectId: string
    assessment(): ReturnType<Candidates['assessmentOf']>
    signal: AbortSignal | undefined
  },
): Promise<SnapshotManifest | null> {
  const newest = async () => (await snapshots.list(projectId, signal))[0]
  const snapshotId = await newest()
  if (snapshotId === undefined) return null
  const manifest = await manifestIn(snapshots, { projectId, snapshotId }, signal).catch(() => null) // it is sealed again
  if (!manifest || manifest.tables.length !== versions.size) return null
  const later = toldLater.get(snapshots)?.get(idOf(manifest))
  const isAt = ({ name, version }: StoredTable) => {
    const own = versions.get(name)
    return own !== undefined && (own === version || own === later?.get(name))
  }
  if (!manifest.tables.every(isAt)) return null
  if (manifest.assessmentId !== (await assessment())) return null
  const isWhole = await snapshots.isWhole(manifest, signal).catch(() => false) // as above
  // Somebody may have removed it, or published another one, while its files were looked at.
  return isWhole && (await newest()) === snapshotId ? manifest : null
}

/** The same tables with the versions that their sources told. */
export function atVersions(tables: readonly StoredTable[], versions: Versions | null): StoredTable[] {
  return tables.map(table => {
    const version = versions?.get(table.name)
    return version === undefined ? table : { ...table, version }
  })
}

/**
 * Remembers, as long as the host has the store, that a snapshot is at versions which its manifest does not have: nothing was
 * published, since its rows were the same. Otherwise they would be read each time until they change.
 */
export function rememberVersions(
  snapshots: SnapshotStore,
  { manifest, unchanged }: PublishedSnapshot,
  versions: Versions | null,
): void {
  if (!unchanged || !versions) return
  const later = toldLater.get(snapshots) ?? new RecentMap(REMEMBERED, { weigh: ({ size }) => size })
  later.set(idOf(manifest), versions)
  toldLater.set(snapshots, later)
}

function idOf({ projectId, snapshotId }: SnapshotManifest): string {
  return `${projectId}/${snapshotId}`
}
