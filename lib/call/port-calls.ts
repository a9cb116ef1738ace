import type { Catalogue } from '../catalogue/catalogue.js'
import { AnalyticsError, LastingFailure } from '../errors.js'
import type { AnalyticsEvent, PortName } from '../events.js'
import { waitForWork } from '../flow/waiting.js'
import type {
  BudgetPort,
  Caller,
  ExportPort,
  KeyPort,
  ProjectPort,
  ProjectRecord,
  QuotaPort,
  SnapshotPort,
  StoredExport,
} from '../ports.js'
import { admittedCaller } from './caller.js'
import type { Limits } from './limits.js'

/** The ports that a call waits for, as the host supplies them. */
export interface HostPorts {
  keys: KeyPort
  projects: ProjectPort
  snapshots: SnapshotPort
  exports: ExportPort
  quota: QuotaPort
  budget?: BudgetPort | undefined
}

/** The same ports, with timeouts, as the core calls them. */
export interface Ports extends Omit<HostPorts, 'exports'> {
  exports: Pick<ExportPort, 'put' | 'retentionMs'> & {
    /** Returns the export with this id, or null when it does not exist or has been removed. */
    open(exportId: string, signal: AbortSignal): Promise<OpenExport | null>
  }
}

/** A stored export whose stream is opened with the timeout of a port call. */
export interface OpenExport {
  /** Exact size, in bytes. */
  bytes: number
  /** Waits for the first bytes of the file. The caller must read the reader to its end or cancel it. */
  begin(signal: AbortSignal): Promise<BegunExport>
}

/** A stored export whose first bytes have been read. */
export interface BegunExport {
  first: { done: boolean; value?: Uint8Array | undefined }
  reader: ReadableStreamDefaultReader<Uint8Array>
}

type PortCall<Arguments extends unknown[], Answer> = (
  ...parameters: [...Arguments, AbortSignal]
) => Promise<Answer>

/**
 * Wraps the host's ports. When a port rejects, times out or returns a value of the wrong shape, the caller
 * gets UNAVAILABLE and the host a `dependency` event; a {@link LastingFailure} passes.
 */
export function timedPorts(
  ports: HostPorts,
  catalogue: Catalogue,
  { dependencyTimeoutMs, exportTimeoutMs }: Limits,
  onEvent: (event: AnalyticsEvent) => void,
): Ports {
  function guard<Arguments extends unknown[], Answer>(
    port: PortName,
    call: PortCall<Arguments, Answer>,
    isOfShape: (answer: Answer) => boolean = () => true,
    onLate: (late: Answer) => unknown = () => {},
    withinMs = dependencyTimeoutMs,
  ): PortCall<Arguments, Answer> {
    return async (...parameters) => {
      const caller = parameters.at(-1) as AbortSignal
      const given = parameters.slice(0, -1) as Arguments
      try {
        const answer = await ask(caller, withinMs, async signal => call(...given, signal), onLate)
        if (!isOfShape(answer)) throw new TypeError('the answer is not of the shape that the port promises')
        return answer
      } catch (cause) {
        if (cause instanceof LastingFailure) throw cause
        if (!caller.aborted) onEvent({ type: 'dependency', port, cause })
        throw new AnalyticsError('UNAVAILABLE', 'The service cannot answer now. Try again later.', { cause })
      }
    }
  }
  const { keys, projects, snapshots, exports, quota, budget } = ports
  const open = guard('exports', (id: string, signal: AbortSignal) => exports.open(id, signal))
  // Storing a large file may take longer than other port calls.
  const put = guard(
    'exports',
    (file: Parameters<ExportPort['put']>[0], signal: AbortSignal) => exports.put(file, signal),
    undefined,
    undefined,
    exportTimeoutMs,
  )
  const begin = guard('exports', beginExport, undefined, ({ reader }) => reader.cancel())
  return {
    keys: {
      authenticate: guard('keys', async (key: string, signal) =>
        // What is wrong with it is told by an error that says more than that its shape is wrong.
        admittedCaller(catalogue, await keys.authenticate(key, signal)),
      ),
    },
    projects: {
      find: guard('projects', (id: string, signal) => projects.find(id, signal), isProjectOrNull),
      list: guard(
        'projects',
        (query: Parameters<ProjectPort['list']>[0], signal) => projects.list(query, signal),
        areProjects,
      ),
    },
    snapshots: {
      list: guard('snapshots', (id: string, signal) => snapshots.list(id, signal), areStrings),
      manifestOf: guard(
        'snapshots',
        (project: string, id: string, signal) => snapshots.manifestOf(project, id, signal),
        text => text === null || typeof text === 'string',
      ),
      open: guard(
        'snapshots',
        (project: string, id: string, files: readonly string[], signal) =>
          snapshots.open(project, id, files, signal),
        undefined,
        late => late?.release(),
      ),
    },
    exports: {
      ...(exports.retentionMs === undefined ? {} : { retentionMs: exports.retentionMs }),
      put,
      async open(id, signal) {
        const stored = await open(id, signal)
        return stored && { bytes: stored.bytes, begin: reading => begin(stored, reading) }
      },
    },
    ...(budget
      ? {
          budget: {
            of: guard(
              'budget',
              (organization: string, signal) => budget.of(organization, signal),
              state => typeof state?.limits === 'object' && typeof state.taken === 'object',
            ),
            spend: (organization, taken) => budget.spend(organization, taken),
          },
        }
      : {}),
    quota: {
      take: guard(
        'quota',
        (caller: Caller, signal) => quota.take(caller, signal),
        state => typeof state?.allowed === 'boolean',
      ),
    },
  }
}

/**
 * Calls a port. On timeout or when the caller leaves, aborts the port's signal; a late answer goes to
 * `onLate`.
 */
async function ask<Answer>(
  caller: AbortSignal,
  ms: number,
  call: (signal: AbortSignal) => Promise<Answer>,
  onLate: (late: Answer) => unknown,
): Promise<Answer> {
  caller.throwIfAborted()
  const over = new AbortController()
  const answering = call(over.signal)
  try {
    return await waitForWork({ signal: caller, ms }, answering)
  } catch (cause) {
    over.abort(cause)
    answering.then(onLate).catch(() => {}) // the call has failed already
    throw cause
  }
}

/** Reads the first bytes. A read that hangs never reaches `onLate`, so the stream is cancelled on abort. */
async function beginExport(stored: StoredExport, signal: AbortSignal): Promise<BegunExport> {
  const reader = stored.body().getReader()
  const giveUp = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', giveUp)
  try {
    return { first: await reader.read(), reader }
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function isProjectOrNull(project: ProjectRecord | null): boolean {
  return (
    project === null || (typeof project?.projectId === 'string' && Number.isSafeInteger(project.sequence))
  )
}

function areProjects(projects: ProjectRecord[]): boolean {
  return Array.isArray(projects) && projects.every(project => project !== null && isProjectOrNull(project))
}

function areStrings(strings: readonly string[]): boolean {
  return Array.isArray(strings) && strings.every(each => typeof each === 'string')
}
