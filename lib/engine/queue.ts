import type { Work } from '../work.js'
import { EngineFailure } from './failure.js'

/** How a job runs. */
export interface JobOptions extends Work {
  /** Key of the organization that owns the project: no other shares a process with it. */
  organization: string
  projectId: string
  /** `build` and `prefetch` jobs never take every connection; a `prefetch` job starts when nothing else may. */
  purpose: 'call' | 'build' | 'prefetch'
  waitMs: number
  timeoutMs: number
}

/** A job that waits. */
interface Waiter<Place> {
  options: JobOptions
  start(place: Place): void
  /** Ends the wait without a place. */
  leave(failure: EngineFailure): void
}

/**
 * Jobs that wait for a place to run in: round-robin across organizations, and across the projects of each, first in first
 * out within a project.
 */
export class Queue<Place> {
  /** By organization and project; whose turn is next comes first. */
  readonly #organizations = new Map<string, Map<string, Waiter<Place>[]>>()
  #length = 0

  get length(): number {
    return this.#length
  }

  /** How many wait of whom this holds. */
  count(holds: (options: JobOptions) => boolean): number {
    let count = 0
    for (const { options } of this.#waiters()) if (holds(options)) count += 1
    return count
  }

  /** Waits until a place is given, the time is over or the caller has left. */
  join(options: JobOptions, joined: () => void): Promise<Place> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#remove(waiter)
        clearTimeout(timer)
        options.signal.removeEventListener('abort', cancel)
      }
      const leave = (failure: EngineFailure) => {
        settle()
        reject(failure)
      }
      const cancel = () => leave(new EngineFailure('cancelled', 'The caller has left.'))
      const expire = () => leave(new EngineFailure('no-connection', 'No connection was free in time.'))
      const start = (place: Place) => {
        settle()
        resolve(place)
      }
      const waiter: Waiter<Place> = { options, start, leave }
      const timer = setTimeout(expire, options.waitMs)
      this.#add(waiter)
      if (options.signal.aborted) return cancel()
      options.signal.addEventListener('abort', cancel, { once: true })
      joined()
    })
  }

  /** Starts the one whose turn it is, of those that may: it gets the place that `take` makes. False when none may. */
  startNext(mayStart: (options: JobOptions) => boolean, take: (options: JobOptions) => Place): boolean {
    const next = this.#first(options => options.purpose !== 'prefetch' && mayStart(options)) ?? this.#first(mayStart)
    if (!next) return false
    next.start(take(next.options))
    const { organization, projectId } = next.options
    const projects = this.#organizations.get(organization)
    if (projects) {
      moveToEnd(this.#organizations, organization)
      moveToEnd(projects, projectId)
    }
    return true
  }

  /** Ends every wait. */
  clear(failure: EngineFailure): void {
    for (const waiter of [...this.#waiters()]) waiter.leave(failure)
  }

  #first(holds: (options: JobOptions) => boolean): Waiter<Place> | null {
    for (const waiter of this.#waiters()) if (holds(waiter.options)) return waiter
    return null
  }

  *#waiters(): Generator<Waiter<Place>> {
    for (const projects of this.#organizations.values()) for (const waiters of projects.values()) yield* waiters
  }

  #add(waiter: Waiter<Place>): void {
    const { organization, projectId } = waiter.options
    const projects = this.#organizations.get(organization) ?? new Map<string, Waiter<Place>[]>()
    this.#organizations.set(organization, projects)
    const waiters = projects.get(projectId) ?? []
    projects.set(projectId, waiters)
    waiters.push(waiter)
    this.#length += 1
  }

  #remove(waiter: Waiter<Place>): void {
    const { organization, projectId } = waiter.options
    const projects = this.#organizations.get(organization)
    const waiters = projects?.get(projectId)
    if (!projects || !waiters) return
    waiters.splice(waiters.indexOf(waiter), 1)
    if (waiters.length === 0) projects.delete(projectId)
    if (projects.size === 0) this.#organizations.delete(organization)
    this.#length -= 1
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}
