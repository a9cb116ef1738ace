import type { RefreshEvent } from './events.js'
import type { RefreshLock } from './lock.js'
import type { Schedule } from './schedule.js'
import type { Tenants } from './tenants.js'

/** The figures that are read when Prometheus asks. */
export interface Watched {
  tenants: Tenants
  lock: RefreshLock
  schedule: Schedule
}

/** Counts what refreshes come to. */
export class Metrics {
  readonly #watched: Watched
  readonly #failures = new Map<string, number>()
  #late = 0
  #lastMs = 0

  constructor(watched: Watched) {
    this.#watched = watched
  }

  /** A refresh that fails as a whole has failed for every tenant. */
  count(event: RefreshEvent): void {
    if ('durationMs' in event) this.#lastMs = event.durationMs
    if (event.type === 'late') this.#late += 1
    else if (event.type === 'tenant-failed') this.#fail(event.projectId)
    else if (event.type === 'failed')
      for (const { projectId } of this.#watched.tenants.all) this.#fail(projectId)
  }

  /** The text that Prometheus reads. */
  async text(signal: AbortSignal): Promise<string> {
    const { tenants, lock, schedule } = this.#watched
    const sealed: Sample[] = []
    const failed: Sample[] = []
    for (const { projectId } of tenants.all) {
      const at = await tenants.sealedAt(projectId, signal)
      if (at) sealed.push([`{project="${projectId}"}`, at.getTime() / 1000])
      failed.push([`{project="${projectId}"}`, this.#failures.get(projectId) ?? 0])
    }
    return [
      metric(
        'refresh_last_success_timestamp_seconds',
        'gauge',
        'When its newest snapshot was sealed.',
        sealed,
      ),
      metric(
        'refresh_failures_total',
        'counter',
        'Refreshes by this process that left it as it was.',
        failed,
      ),
      metric('refresh_late_total', 'counter', 'Refreshes left out, as one was under way.', [
        ['', this.#late],
      ]),
      metric('refresh_duration_seconds', 'gauge', 'What the last refresh took.', [['', this.#lastMs / 1000]]),
      metric('refresh_running_seconds', 'gauge', 'What the one under way has taken so far.', [
        ['', schedule.runningMs / 1000],
      ]),
      metric('refresh_leader', 'gauge', 'Whether it is this process that refreshes.', [
        ['', Number(lock.isHeld)],
      ]),
    ].join('')
  }

  #fail(projectId: string): void {
    this.#failures.set(projectId, (this.#failures.get(projectId) ?? 0) + 1)
  }
}

/** Labels, and a value. */
type Sample = readonly [labels: string, value: number]

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
