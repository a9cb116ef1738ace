import { AnalyticsError } from './errors.js'
import type { AnalyticsEvent, Limits } from './options.js'
import type {
  Caller,
  ExportPort,
  KeyPort,
  ProjectPort,
  ProjectRecord,
  QuotaPort,
  SnapshotPort,
  StoredExport,
} from './ports.js'
import { waitFor } from './waiting.js'

/** The ports that a call waits for, as the host supplies them. */
export interface HostPorts {
  keys: KeyPort
  projects: ProjectPort
  snapshots: SnapshotPort
  exports: ExportPort
  quota: QuotaPort
}

/** The same as the core calls them. */
export interface Ports extends Omit<HostPorts, 'exports'> {
  exports: Pick<ExportPort, 'put'> & {
    /** The file of this id, or null when there is none (any more). */
    open(exportId: string, signal: AbortSignal): Promise<OpenExport | null>
  }
}

/** A stored export that can be begun like any other call of a port. */
export interface OpenExport {
  /** Exact size. */
  bytes: number
  /** Waits for the first bytes of the file; whoever has the reader ends or cancels it. */
  begin(signal: AbortSignal): Promise<BegunExport>
}

/** A stored export whose first bytes are there. */
export interface BegunExport {
  first: { done: boolean; value?: Uint8Array | undefined }
  reader: ReadableStreamDefaultReader<Uint8Array>
}

type PortCall<Arguments extends unknown[], Answer> = (...parameters: [...Arguments, AbortSignal]) => Promise<Answer>

/**
 * The host's ports as the core calls them: one that rejects, hangs or answers nonsense is a dependency that is down,
 * which is UNAVAILABLE for the caller and an event for the host.
 */
export function timedPorts(
  ports: HostPorts,
  { dependencyTimeoutMs, exportTimeoutMs }: Limits,
  onEvent: (event: AnalyticsEvent) => void,
): Ports {
  function guard<Arguments extends unknown[], Answer>(
    port: string,
    call: PortCall<Arguments, Answer>,
    makesSense: (answer: Answer) => boolean = () => true,
    giveBack: (late: Answer) => unknown = () => {},
    withinMs = dependencyTimeoutMs,
  ): PortCall<Arguments, Answer> {
    return async (...parameters) => {
      const caller = parameters.at(-1) as AbortSignal
      const given = parameters.slice(0, -1) as Arguments
      try {
        const answer = await ask(caller, withinMs, async signal => call(...given, signal), giveBack)
        if (!makesSense(answer)) throw new TypeError('the answer is not of the shape that the port promises')
        return answer
      } catch (cause) {
        if (!caller.aborted) onEvent({ type: 'dependency', port, cause })
        throw new AnalyticsError('UNAVAILABLE', 'The service cannot answer now. Try again later.', { cause })
      }
    }
  }
  const { keys, projects, snapshots, exports, quota } = ports
  const open = guard('exports', (id: string, signal: AbortSignal) => exports.open(id, signal))
  // A large file takes longer to store than an answer to give.
  const put = guard(
    'exports',
    (file: Parameters<ExportPort['put']>[0], signal: AbortSignal) => exports.put(file, signal),
    undefined,
    undefined,
    exportTimeoutMs,
  )
  const begin = guard('exports', beginExport, undefined, ({ reader }) => reader.cancel())
  return {
    keys: { authenticate: guard('keys', (key: string, signal) => keys.authenticate(key, signal), isCallerOrNull) },
    projects: {
      find: guard('projects', (id: string, signal) => projects.find(id, signal), isProjectOrNull),
      list: guard(
        'projects',
        (query: Parameters<ProjectPort['list']>[0], signal) => projects.list(query, signal),
        areProjects,
      ),
    },
    snapshots: {
      list: guard('snapshots', (id: string, signal) => snapshots.list(id, signal), areTexts),
      open: guard(
        'snapshots',
        (project: string, id: string, signal) => snapshots.open(project, id, signal),
        undefined,
        late => late?.release(),
      ),
    },
    exports: {
      put,
      async open(id, signal) {
        const stored = await open(id, signal)
        return stored && { bytes: stored.bytes, begin: reading => begin(stored, reading) }
      },
    },
    quota: {
      take: guard(
        'quota',
        (keyId: string, signal) => quota.take(keyId, signal),
        state => typeof state?.allowed === 'boolean',
      ),
    },
  }
}

/** The answer of a port, whose signal fires when nobody waits for it any more; one that comes too late is given back. */
async function ask<Answer>(
  caller: AbortSignal,
  ms: number,
  call: (signal: AbortSignal) => Promise<Answer>,
  giveBack: (late: Answer) => unknown,
): Promise<Answer> {
  caller.throwIfAborted()
  const over = new AbortController()
  const answering = call(over.signal)
  try {
    return await waitFor({ signal: caller, ms }, (take, fail) => void answering.then(take, fail))
  } catch (cause) {
    over.abort(cause)
    answering.then(giveBack).catch(() => {}) // what comes too late nobody takes
    throw cause
  }
}

/** A read that hangs has nothing to give back, so that its stream is cancelled as soon as nobody waits. */
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

function isCallerOrNull(caller: Caller | null): boolean {
  return (
    caller === null ||
    (typeof caller?.keyId === 'string' && typeof caller.ownerId === 'string' && areTexts(caller.organizations))
  )
}

function isProjectOrNull(project: ProjectRecord | null): boolean {
  return project === null || (typeof project?.projectId === 'string' && Number.isSafeInteger(project.sequence))
}

function areProjects(projects: ProjectRecord[]): boolean {
  return Array.isArray(projects) && projects.every(project => project !== null && isProjectOrNull(project))
}

function areTexts(texts: readonly string[]): boolean {
  return Array.isArray(texts) && texts.every(text => typeof text === 'string')
}
