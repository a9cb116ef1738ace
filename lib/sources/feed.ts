import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isType } from '../catalogue/column-types.js'
import { TimeIsOver, waitForWork } from '../flow/waiting.js'
import { fileIn } from './files.js'
import type { SourceRequest, SourceRows, SourceSession, TableSource } from './source.js'
import { type SourceBounds, SourceFailed, stepOf, storeChunks } from './stored-chunks.js'

/** A table to be sealed. */
export interface TableFeed {
  source: TableSource
  /** Types of its columns in the catalogue, by their names; null when it declares none. */
  columns: SourceRequest['columns']
  /** Name of the column that the rows may lack. */
  optional?: string | undefined
  /** The column that tells tenants apart, each of which may have a version. */
  by?: string | undefined
  /** Tenants whose rows are wanted. Default: all. */
  only?: readonly string[] | undefined
}

/** A table whose rows are in a file. */
export interface FedTable {
  table: string
  /** Absolute. */
  path: string
  format: SourceRows['format']
  /** Types of columns that the source tells; null when it tells none. */
  types: Readonly<Record<string, string>> | null
  /** Whether the order of the rows is kept. */
  isOrdered: boolean
}

/** Where and how the rows of sources are stored. */
export interface FeedOptions {
  /** Folder of the files, which belong to the caller; after a failure there are none. */
  folder: string
  signal?: AbortSignal | undefined
  /** Time in which a source has to deliver the next bytes, unless it says how long it may take. Default: 60,000 (60 s). */
  idleMs?: number
  /** Most bytes of one source. Default: 64 GiB. */
  mostBytes?: number
  /** Time in which a source has to give back what it holds when it is told to end. Default: 5,000 (5 s). */
  endingMs?: number
}

/** A table to be read, and the file of its rows. */
interface FeedEntry extends TableFeed {
  table: string
  path: string
}

interface Feeding extends SourceBounds {
  /** Paths of the files that were written. */
  written: string[]
  /** Ends all sources. */
  fail(cause: unknown): void
}

const IDLE_MS = 60_000
const MOST_BYTES = 64 * 1024 ** 3
const ENDING_MS = 5_000
const FORMATS: readonly string[] = ['csv', 'csv-with-empty-text', 'parquet'] satisfies SourceRows['format'][]

/**
 * Stores the rows of sources in files, one source after the other, those of one session next to each other. A file
 * of `fromFile` is not copied. Rejects with a TypeError for what is no source, with a {@link SourceFailed}, with the
 * signal's reason, or with the error of the disk; no file is left then, and every source was told to end.
 */
export async function feedSources(
  tables: ReadonlyMap<string, TableFeed>,
  { folder, signal, idleMs = IDLE_MS, mostBytes = MOST_BYTES, endingMs = ENDING_MS }: FeedOptions,
): Promise<FedTable[]> {
  const fed = new Map<string, FedTable>()
  const entries: FeedEntry[] = []
  for (const [table, feed] of tables) {
    const { source } = feed
    refuseWrong(table, source, entries)
    const file = fileIn(source)
    if (file) fed.set(table, { table, ...file, types: null, isOrdered: true })
    else entries.push({ ...feed, table, path: join(resolve(folder), `source-${entries.length + 1}`) })
  }
  await inSessions(entries, { signal, idleMs, mostBytes, endingMs }, async (entry, session, feeding) => {
    fed.set(entry.table, await feedOne(entry, session, feeding))
  })
  return [...tables.keys()].map(table => fed.get(table) as FedTable)
}

/** The longest version of a source. */
const MOST_VERSION = 256

/** The version of the rows of a table, or those of its tenants. */
export type ToldVersion = string | ReadonlyMap<string | null, string>

/**
 * Asks sources for the versions of their rows, see {@link TableSource.version}, in sessions that have ended when this
 * resolves. Null unless each source tells one. Rejects as {@link feedSources} does.
 */
export async function versionsOf(
  tables: ReadonlyMap<string, TableFeed>,
  { signal, idleMs = IDLE_MS, endingMs = ENDING_MS }: Omit<FeedOptions, 'folder' | 'mostBytes'>,
): Promise<ReadonlyMap<string, ToldVersion> | null> {
  const entries: FeedEntry[] = []
  for (const [table, feed] of tables) {
    refuseWrong(table, feed.source, entries)
    if (typeof feed.source.version !== 'function') return null
    entries.push({ table, ...feed, path: '' })
  }
  const versions = new Map<string, ToldVersion>()
  const bounds = { signal, idleMs, endingMs, mostBytes: 0 }
  await inSessions(entries, bounds, async (entry, session, feeding) => {
    const { table, source } = entry
    const request = requestOf(entry, session, feeding)
    const ask = async () => source.version?.(request) ?? null
    const told: unknown = await stepOf(table, boundsOf(source, feeding), ask)
    if (told !== null) versions.set(table, checkVersion(entry, told))
  })
  return versions.size === tables.size ? versions : null
}

/** Throws a {@link SourceFailed} for what is no version. */
function checkVersion({ table, by }: FeedEntry, told: unknown): ToldVersion {
  const isVersion = (each: unknown) => typeof each === 'string' && each.length <= MOST_VERSION
  if (isVersion(told)) return told as string
  const versions = by === undefined ? null : byTenant(told)
  const isNone = `is no text of at most ${MOST_VERSION} characters`
  if (!versions) throw new SourceFailed(table, `its version ${isNone}, and not null`)
  for (const [key, version] of versions) {
    if (key !== null && typeof key !== 'string')
      throw new SourceFailed(table, `its versions name a tenant by a ${typeof key}: make it a text`)
    if (!isVersion(version))
      throw new SourceFailed(table, `its version of the tenant ${JSON.stringify(key)} ${isNone}`)
  }
  return versions as ReadonlyMap<string | null, string>
}

/** What a Map or a plain record tells of each tenant; null for what is neither. */
function byTenant(told: unknown): ReadonlyMap<unknown, unknown> | null {
  if (told instanceof Map) return told
  const isRecord = typeof told === 'object' && told !== null
  const kind: unknown = isRecord ? Object.getPrototypeOf(told) : undefined
  return kind === null || kind === Object.prototype ? new Map(Object.entries(told as object)) : null
}

/** Works on each table, those of one session next to each other. When that fails, every source is told to end. */
async function inSessions(
  entries: readonly FeedEntry[],
  { signal, ...bounds }: Omit<SourceBounds, 'signal'> & { signal: AbortSignal | undefined },
  work: (entry: FeedEntry, session: unknown, feeding: Feeding) => Promise<void>,
): Promise<void> {
  signal?.throwIfAborted()
  const failing = new AbortController()
  const either = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal
  const fail = (cause: unknown) => failing.abort(cause)
  const feeding: Feeding = { ...bounds, signal: either, written: [], fail }
  try {
    for (const own of bySession(entries))
      await inSession(own, feeding, async session => {
        for (const entry of own)
          await work(entry, session, feeding).catch(cause => {
            fail(cause)
            throw cause
          })
      })
  } catch (cause) {
    fail(cause)
    for (const path of feeding.written) await rm(path, { force: true })
    throw signal?.aborted ? signal.reason : cause
  }
}

function refuseWrong(table: string, source: TableSource, before: readonly FeedEntry[]): void {
  const subject = `the source of ${JSON.stringify(table)}`
  if (typeof source === 'string')
    throw new TypeError(`tables.${table} is a string: write fromFile(${JSON.stringify(source)})`)
  if (typeof source?.read !== 'function')
    throw new TypeError(`${subject} is no object with read(): make one, such as with fromRows()`)
  const other = before.find(entry => entry.source === source)
  if (other)
    throw new TypeError(`${subject} is that of ${JSON.stringify(other.table)} too: make one for each table`)
}

/** Groups the sources by session; a group stands where its first source stood. */
function bySession(entries: readonly FeedEntry[]): FeedEntry[][] {
  const groups = new Map<object, FeedEntry[]>()
  for (const entry of entries) {
    const key = entry.source.session ?? entry
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return [...groups.values()]
}

/** Works in the session of these tables, or without one. */
async function inSession(
  [first]: readonly FeedEntry[],
  feeding: Feeding,
  work: (session: unknown) => Promise<void>,
): Promise<void> {
  const session = first?.source.session
  if (!session) return work(undefined)
  const handle = await beginSession(first.table, session, feeding)
  try {
    await work(handle)
  } catch (cause) {
    await endSession(session, handle, true, feeding).catch(() => {}) // the first failure is told
    throw cause
  }
  await endSession(session, handle, false, feeding).catch(cause => {
    throw new SourceFailed(first.table, cause)
  })
}

/** Begins a session. A session that begins after the signal has fired is ended. */
async function beginSession(table: string, session: SourceSession, feeding: Feeding): Promise<unknown> {
  feeding.signal.throwIfAborted()
  const beginning = (async () => session.begin(feeding.signal))()
  try {
    return await stepOf(table, feeding, () => beginning)
  } catch (cause) {
    beginning.then(handle => endSession(session, handle, true, feeding)).catch(() => {}) // the first failure is told
    feeding.fail(cause)
    throw cause
  }
}

async function endSession(
  session: SourceSession,
  handle: unknown,
  failed: boolean,
  { endingMs }: Feeding,
): Promise<void> {
  try {
    await waitForWork({ ms: endingMs }, (async () => session.end(handle, failed))())
  } catch (cause) {
    throw cause instanceof TimeIsOver
      ? new Error(`its session has not ended for ${endingMs / 1000} s`)
      : cause
  }
}

function requestOf(
  { table, columns, optional, by, only }: FeedEntry,
  session: unknown,
  { signal }: Feeding,
): SourceRequest {
  return {
    table,
    columns,
    ...(optional === undefined ? {} : { optional }),
    ...(by === undefined ? {} : { by }),
    ...(only === undefined ? {} : { only }),
    session,
    signal,
  }
}

function boundsOf({ idleMs }: TableSource, feeding: Feeding): Feeding {
  return { ...feeding, idleMs: idleMs ?? feeding.idleMs }
}

async function feedOne(entry: FeedEntry, session: unknown, bounds: Feeding): Promise<FedTable> {
  const { table, source, path } = entry
  const feeding = boundsOf(source, bounds)
  const rows = await stepOf(table, feeding, async () => source.read(requestOf(entry, session, bounds)))
  if (!FORMATS.includes(rows?.format))
    throw new SourceFailed(table, `its format is none of ${FORMATS.join(', ')}`)
  if (typeof rows.chunks?.[Symbol.asyncIterator] !== 'function')
    throw new SourceFailed(table, 'its chunks are no AsyncIterable')
  await storeChunks(table, rows.chunks, path, feeding)
  const types = rows.types ? await stepOf(table, feeding, async () => rows.types?.() ?? {}) : null
  for (const [column, type] of Object.entries(types ?? {}))
    if (!isType(type))
      throw new SourceFailed(
        table,
        `column ${JSON.stringify(column)} is of a type that no table can have: cast it`,
      )
  return { table, path, format: rows.format, types, isOrdered: source.isOrdered === true }
}
