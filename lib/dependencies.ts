import { AnalyticsError } from './errors.js'
import type { AnalyticsEvent } from './options.js'
import type { Caller, ExportPort, KeyPort, ProjectPort, ProjectRecord, QuotaPort, SnapshotPort } from './ports.js'
import { Waiting } from './waiting.js'

/** The ports that a call waits for. */
export interface Ports {
  keys: KeyPort
  projects: ProjectPort
  snapshots: SnapshotPort
  exports: ExportPort
  quota: QuotaPort
}

type PortCall<Arguments extends unknown[], Answer> = (...parameters: [...Arguments, AbortSignal]) => Promise<Answer>

/**
 * The host's ports as the core calls them: one that rejects, hangs or answers nonsense is a dependency that is down,
 * which is UNAVAILABLE for the caller and an event for the host.
 */
export function guardPorts(ports: Ports, timeoutMs: number, onEvent: (event: AnalyticsEvent) => void): Ports {
  const waiting = new Waiting(timeoutMs)
  function guard<Arguments extends unknown[], Answer>(
    port: string,
    call: PortCall<Arguments, Answer>,
    makesSense: (answer: Answer) => boolean = () => true,
    giveBack: (late: Answer) => unknown = () => {},
  ): PortCall<Arguments, Answer> {
    return async (...parameters) => {
      const caller = parameters.at(-1) as AbortSignal
      const given = parameters.slice(0, -1) as Arguments
      try {
        const answer = await waiting.for(caller, async signal => call(...given, signal), giveBack)
        if (!makesSense(answer)) throw new TypeError('the answer is not of the shape that the port promises')
        return answer
      } catch (cause) {
        if (!caller.aborted) onEvent({ type: 'dependency', port, cause })
        throw new AnalyticsError('UNAVAILABLE', 'The service cannot answer now. Try again later.', { cause })
      }
    }
  }
  const { keys, projects, snapshots, exports, quota } = ports
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
      put: guard('exports', (file: Parameters<ExportPort['put']>[0], signal) => exports.put(file, signal)),
      open: guard('exports', (id: string, signal) => exports.open(id, signal)),
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
