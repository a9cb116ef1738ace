/**
 * A wall: `files` other than a process's own, the `network`, other `programs` and `processes`, and the system
 * `calls` of which it has no need.
 */
export type Wall = 'files' | 'network' | 'programs' | 'processes' | 'calls'

/** All walls. */
export const WALLS: readonly Wall[] = ['files', 'network', 'programs', 'processes', 'calls']

/** The walls that the processes of an engine run behind. */
export interface SandboxState {
  /** The program that puts them up; null when nothing does. */
  launcher: 'bubblewrap' | 'setpriv' | null
  /** The walls that held when a process tried them from inside. */
  walls: readonly Wall[]
  /** Why there are not all of them, for the operator; null when there are. */
  missing: string | null
}
