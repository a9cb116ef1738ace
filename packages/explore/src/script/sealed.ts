import type { Client, ProjectDescription } from 'foldgate/client'
import { counted, find, make, onClick, show } from './dom.js'
import { recall, remember } from './tab.js'

/** The snapshot that queries read. */
export interface SealedSnapshot {
  /** Its id; undefined where none is known, and queries read the newest. */
  id(): string | undefined
  /** Its id where it is not the newest; links and calls to copy name no other. */
  older(): string | undefined
  /** The snapshots that are kept, newest first. */
  kept(): readonly Kept[]
  /** Reads which snapshots of a project are kept; chooses the one that the tab remembers, otherwise the newest. */
  offer(client: Client, projectId: string, signal: AbortSignal): Promise<void>
  /** Announces a newer snapshot, if there is one; looks for it at most once a minute. */
  renew(): void
  /** Chooses the newest one. */
  readNewest(): Promise<void>
}

/** A snapshot that is kept. */
export interface Kept {
  snapshot: string
  sealedAt: string
}

type SnapshotWarning = NonNullable<ProjectDescription['warnings']>[number]

interface Source {
  client: Client
  projectId: string
  signal: AbortSignal
}

const RENEW_MS = 60_000

/** Manages the menu that says which snapshot queries read, and what announces a newer one. */
export function sealedSnapshot(onChoose: () => void): SealedSnapshot {
  const [menu, field, newer] = [find('sealed'), find('snapshot'), find('newer')]
  let source: Source | null = null
  let kept: readonly Kept[] = []
  /** The warnings of the newest snapshot. */
  let warned: readonly SnapshotWarning[] = []
  let chosen: string | undefined
  let lookedAt = 0

  const older = () => (chosen === kept[0]?.snapshot ? undefined : chosen)

  /** Reads and lists which snapshots are kept. The page can do without: what a query needs is read, and its failure told, elsewhere. */
  async function look(): Promise<boolean> {
    if (!source) return false
    const { client, projectId, signal } = source
    lookedAt = Date.now()
    const about = await client
      .describe({ projectId, include: ['snapshots', 'warnings', 'dialect'] }, { signal })
      .catch(() => null)
    if (signal.aborted || !about) return false
    find('dialect').textContent = about.dialect ?? 'DuckDB'
    kept = about.snapshots ?? []
    warned = about.warnings ?? []
    field.replaceChildren(
      ...kept.map(({ snapshot, sealedAt }, at) =>
        make('option', { value: snapshot }, `${moment(sealedAt)}${at === 0 ? ' (the newest)' : ''}`),
      ),
    )
    field.value = chosen ?? ''
    return kept.length > 0
  }

  async function warningsOf({ client, projectId, signal }: Source): Promise<readonly SnapshotWarning[]> {
    const snapshot = older()
    if (snapshot === undefined) return warned
    const about = await client
      .describe({ projectId, snapshot, include: ['warnings'] }, { signal })
      .catch(() => null)
    return about?.warnings ?? []
  }

  /** Shows which snapshots are kept, and when and with which warnings the chosen one was sealed. */
  async function tell(): Promise<void> {
    const read = kept.find(({ snapshot }) => snapshot === chosen)
    if (!source || !read) return
    field.value = read.snapshot
    const warnings = await warningsOf(source)
    if (source.signal.aborted || read.snapshot !== chosen) return
    const day = new Date(read.sealedAt).toLocaleDateString('en-GB', { dateStyle: 'medium' })
    const more = [older() && 'not the newest', warnings.length > 0 && counted(warnings.length, 'warning')]
    const words = [day, ...more.filter(each => each)].join(' · ')
    find('sealed-told').replaceChildren(make('span', { class: 'sealed-word' }, 'Sealed '), words)
    const items = warnings.map(({ table, column, message }) =>
      make('li', {}, make('code', {}, column === undefined ? table : `${table}.${column}`), `: ${message}`),
    )
    const list =
      items.length > 0
        ? [make('h3', {}, `Sealed with ${counted(items.length, 'warning')}`), make('ul', {}, ...items)]
        : []
    const id = make('p', { class: 'hint' }, 'Snapshot ', make('code', {}, read.snapshot))
    find('sealed-about').replaceChildren(id, ...list)
    show(true, menu)
  }

  function announce(): void {
    const [newest] = kept
    if (!newest || newest.snapshot === chosen) return
    find('newer-told').textContent = `A newer snapshot was sealed on ${moment(newest.sealedAt)}.`
    show(true, newer)
  }

  async function choose(id: string | undefined): Promise<void> {
    chosen = id
    remember('snapshot', older() ?? null)
    show(false, newer)
    onChoose()
    await tell()
  }

  async function readNewest(): Promise<void> {
    if (await look()) await choose(kept[0]?.snapshot)
  }

  field.addEventListener('change', () => void choose(field.value))
  onClick(find('newer-read'), readNewest)

  return {
    id: () => chosen,
    older,
    kept: () => kept,
    readNewest,
    async offer(client, projectId, signal) {
      source = { client, projectId, signal }
      chosen = undefined
      kept = []
      warned = []
      find('dialect').textContent = 'DuckDB'
      show(false, menu, newer)
      menu.open = false
      if (!(await look())) return
      const wanted = recall('snapshot')
      // A snapshot that is no longer kept is named all the same, so that the query says so, and shows no other rows.
      chosen = wanted ?? kept[0]?.snapshot
      void tell()
    },
    renew() {
      if (Date.now() - lookedAt < RENEW_MS) return
      const newest = kept[0]?.snapshot
      void look().then(isKnown => isKnown && newest !== kept[0]?.snapshot && announce())
    },
  }
}

/** `3 November 2026 at 14:05`. */
export function moment(sealedAt: string): string {
  return new Date(sealedAt).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
}
