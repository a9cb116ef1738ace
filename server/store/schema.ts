import type { Generated } from 'kysely'

/**
 * The tables of the control store after the last migration. Instants are epoch milliseconds, ids are strings.
 */
export interface Schema {
  organizations: { key: string; name: string; created_at: number }
  /** `email` is in lower case. A user without a `password_hash` cannot log in. */
  users: { id: string; email: string; password_hash: string | null; created_at: number }
  /** The organizations that a user may read now. */
  memberships: { user_id: string; organization_key: string }
  /** API keys, stored only as their SHA-256. */
  keys: {
    id: string
    user_id: string
    name: string
    hash: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
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
  /** Each project has at most one running assessment. */
  assessments: {
    id: string
    project_id: string
    state: AssessmentState
    started_at: number
    ended_at: number | null
  }
  /** The newest snapshot of each project that has any. */
  newest_snapshots: { project_id: string; snapshot_id: string }
  /** At most one row: the id in the marker of the shared folder. */
  shared_folders: { id: string }
  /** The secrets that sign cursors and export links. */
  secrets: { id: string; value: string; created_at: number }
  /**
   * Usage of a key on a `day` (`YYYY-MM-DD` in UTC), by method (or `download`) and outcome (`OK` or the class of the
   * failure).
   */
  usage: {
    key_id: string
    day: string
    method: string
    outcome: string
    calls: number
    rows: number
    bytes: number
    last_at: number
  }
  /** The current or last quota window of each key. */
  quota_windows: { key_id: string; started_at: number; taken: number }
  /** Logins, with only the SHA-256 of the browser's session token. `seen_at` lags by at most one minute. */
  sessions: { hash: string; user_id: string; created_at: number; seen_at: number }
}

/** State of an assessment; it determines the state of its project. */
export type AssessmentState = 'running' | 'completed' | 'failed'
