import { type Kept, readKept } from './parameters.js'

/** What this tab remembers until it is closed. */
export type Remembered =
  | 'key'
  | 'offered'
  | 'project'
  | 'sql'
  | 'parameters'
  | 'entity'
  | 'ownership'
  | 'snapshot'
  | 'limit'
  | 'format'
  | 'escape'
  | 'call'
  | 'shelf'
  | 'asking'
  | 'linked'
  | 'address'

/** Values where the browser blocks storage: the page then starts anew after each reload. */
const unsaved = new Map<Remembered, string>()

/** The remembered value; null if there is none. */
export function recall(what: Remembered): string | null {
  try {
    return sessionStorage.getItem(`foldgate ${what}`)
  } catch {
    return unsaved.get(what) ?? null
  }
}

/** Remembers a value for this tab; null forgets it. */
export function remember(what: Remembered, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(`foldgate ${what}`)
    else sessionStorage.setItem(`foldgate ${what}`, value)
  } catch {
    if (value === null) unsaved.delete(what)
    else unsaved.set(what, value)
  }
}

/** What the address of the page holds: a query with values, a point of view and perhaps a snapshot, and no key. */
export interface Link {
  project: string
  sql: string
  /** The texts that were typed for its parameters; absent without any. */
  parameters?: Kept
  /** Id of an entity; absent for the whole project. */
  entity?: string
  /** Absent where there is no point of view. */
  ownership?: 'net' | 'gross'
  /** Id of the snapshot to read; absent for the newest. */
  snapshot?: string
}

/**
 * The link in the fragment of an address; null when there is none. The fragment is not sent to any server.
 */
export function readLink(fragment: string): Link | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const [project, sql, entity, snapshot] = ['project', 'sql', 'entity', 'snapshot'].map(
    name => fields.get(name) ?? '',
  )
  if (!project || !sql) return null
  const parameters = readKept(fields.get('parameters'))
  return {
    project,
    sql,
    ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    ...(entity ? { entity } : {}),
    ownership: fields.get('view') === 'gross' ? 'gross' : 'net',
    ...(snapshot ? { snapshot } : {}),
  }
}

/**
 * A key, and perhaps a project, in the fragment of an address,
 * as the demonstration prints it; null without a key.
 */
export function readOpening(fragment: string): { key: string; project: string | null } | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const key = fields.get('key')
  return key ? { key, project: fields.get('project') } : null
}

/** The fragment of the address for a link. */
export function fragmentOf({ project, sql, parameters = {}, entity, ownership, snapshot }: Link): string {
  const view = { ...(ownership ? { view: ownership } : {}), ...(snapshot ? { snapshot } : {}) }
  const values = Object.keys(parameters).length > 0 ? { parameters: JSON.stringify(parameters) } : {}
  return `#${new URLSearchParams({ project, ...(entity ? { entity } : {}), ...view, ...values, sql })}`
}
