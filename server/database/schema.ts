import type { TakenBudget } from 'foldgate'
import type { QuotaLevel } from 'foldgate/internal'
import type { Generated } from 'kysely'

/**
 * The tables of the control store after the last migration. Instants are epoch milliseconds, ids are strings.
 */
export interface StoreSchema {
  organizations: { key: string; name: string; created_at: number }
  /** `email` is in lower case. A user without a `password_hash` cannot log in. */
  users: { id: string; email: string; password_hash: string | null; created_at: number }
  /** Users who cannot log in, and whose keys are refused, until they are resumed. */
  suspended_users: { user_id: string; suspended_at: number }
  /**
   * Users who were removed. Their rows stay without an address, and those of their keys without a name and a
   * hash, so that usage refers to them.
   */
  removed_users: { user_id: string; removed_at: number }
  /** The organizations that a user may read now. */
  memberships: { user_id: string; organization_key: string }
  /**
   * API keys, stored only as their SHA-256; `hash` of a key with limits has a prefix (`LIMITED_HASH`). A key that
   * ended long ago has no organizations and no hash; its row names its usage.
   */
  keys: {
    id: string
    user_id: string
    name: string
    hash: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    /** Its limits as JSON (`CallerLimits`); null when it has none. */
    limits: string | null
    /** Since when its row only names its usage; null before. */
    forgotten_at: number | null
    /** Null until its first use. */
    first_used_at: number | null
    /** Its last use that is no longer in `usage`; null when all of its use is. */
    last_used_at: number | null
  }
  /** The organizations chosen for a key when it was created. */
  key_organizations: { key_id: string; organization_key: string }
  /** `sequence` grows in the order of registration. */
  projects: {
    sequence: Generated<number>
    id: string
    organization_key: string
    name: string
    created_at: number
  }
  /** Projects that were removed, until their snapshots and exports are removed too. */
  removed_projects: { project_id: string; removed_at: number }
  /**
   * Exported files, until they are removed; the files of unknown projects and removed users are to be removed.
   */
  exports: { id: string; project_id: string; user_id: string; created_at: number }
  /** The engine of each project that does not use the default one. */
  project_engines: { project_id: string; engine: string }
  /** Each project has at most one running assessment. */
  assessments: {
    id: string
    project_id: string
    state: AssessmentState
    started_at: number
    ended_at: number | null
  }
  /**
   * The newest snapshot of each project that has any. The last change that the store was told, of which one was sealed
   * or some were removed, has the greatest `revision` of all. `checked_at` is when it was sealed, or the tables were last
   * found to be as they are in it.
   */
  newest_snapshots: {
    project_id: string
    snapshot_id: string
    revision: Generated<number>
    checked_at: number
  }
  /** At most one row: the id in the marker of the shared folder. */
  shared_folders: { id: string }
  /** The secrets that sign cursors and export links. */
  secrets: { id: string; value: string; created_at: number }
  /**
   * Usage of a key on a `day` (`YYYY-MM-DD` in UTC), by method (or `download`) and outcome (`OK` or the class
   * of the failure). Of days that were rolled up, one row has the sum of a month, with `YYYY-MM` as its `day`.
   * `key_id` of calls with tokens is the list of their organizations as JSON. `organization` and `project_id` are empty
   * for calls that read none. Where `relation` is empty, a row counts all calls; else those of them that read it.
   */
  usage: {
    key_id: string
    day: string
    method: string
    outcome: string
    organization: string
    project_id: string
    relation: string
    calls: number
    rows: number
    bytes: number
    /** Milliseconds that calls waited for a connection, waited for relations, and ran. */
    wait_ms: number
    build_ms: number
    run_ms: number
    /** Processor time of the engine, in milliseconds. */
    engine_ms: number
    last_at: number
  }
  /**
   * The current or last quota window of each key, owner (by user id) and organization that has a limit and
   * was used, and the budget windows of organizations. An `id` may be that of a key that is gone.
   */
  call_windows: { level: QuotaLevel | keyof TakenBudget; id: string; started_at: number; taken: number }
  /**
   * Calls that servers have run for a second or longer, as JSON (`ToldCall`); `ended_at` is when a command asked its server to
   * end it, null before.
   */
  running_calls: {
    call_id: string
    server_id: string
    told_at: number
    call: string
    ended_at: number | null
  }
  /**
   * What happened, in order. `who` did it at `origin`, the address of a client or a host name. `organizations` is a list
   * as JSON, and `details` an object as JSON.
   */
  audit: {
    sequence: Generated<number>
    at: number
    action: string
    who: string
    origin: string | null
    subject: string
    organizations: string
    project_id: string | null
    details: string
  }
  /** When one of the servers has last started a chore that one of them does for all. */
  chores: { name: string; started_at: number }
  /** Logins, with only the SHA-256 of the browser's session token. `seen_at` lags by at most one minute. */
  sessions: { hash: string; user_id: string; created_at: number; seen_at: number }
}

/** State of an assessment; it determines the state of its project. */
export type AssessmentState = 'running' | 'completed' | 'failed'
