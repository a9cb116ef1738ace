import type { Generated } from 'kysely'

/**
 * The tables of the control store as they are after the last migration. Instants are epoch milliseconds, ids are
 * text.
 */
export interface Schema {
  organizations: { key: string; name: string; created_at: number }
  /** `email` is in lower case; without a `password_hash` nobody can log in as this user. */
  users: { id: string; email: string; password_hash: string | null; created_at: number }
  /** What a user may read now. */
  memberships: { user_id: string; organization_key: string }
  /** API keys: the SHA-256 of each, never the key itself. */
  keys: {
    id: string
    user_id: string
    name: string
    hash: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
  }
  /** The organizations that were chosen for a key when it was made. */
  key_organizations: { key_id: string; organization_key: string }
  /** `sequence` is the order of registration: it only grows. */
  projects: {
    sequence: Generated<number>
    id: string
    organization_key: string
    name: string
    created_at: number
  }
  /** At most one runs in each project. */
  assessments: {
    id: string
    project_id: string
    state: AssessmentState
    started_at: number
    ended_at: number | null
  }
  /** What seals cursors and export links. */
  secrets: { id: string; value: string; created_at: number }
  /**
   * What a key was used for on a `day` (`YYYY-MM-DD` in UTC), by method, or `download`, and outcome, `OK` or the class
   * of the failure.
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
  /** The quota window that each key is in, or was in last. */
  quota_windows: { key_id: string; started_at: number; taken: number }
  /** Who is logged in: the SHA-256 of what their browser holds, never that itself. `seen_at` is a minute late at most. */
  sessions: { hash: string; user_id: string; created_at: number; seen_at: number }
}

/** How far an assessment is; the state of its project follows from it. */
export type AssessmentState = 'running' | 'completed' | 'failed'
