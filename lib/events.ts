import type { Phase } from './flow/work.js'
import type { SandboxState } from './sandbox/walls.js'

/** An event for the host's log. Events contain no keys and no rows, and SQL only with `sqlInEvents`. */
export type AnalyticsEvent =
  | {
      /** A call has ended, or a download has begun. */
      type: 'call'
      /** Id of the call, as in its usage and among the running calls. */
      callId: string
      /**
       * Name of the method, `download`, `catalogue`, or `unknown` when the call was refused before it named one.
       * A named query has its version, also when the caller named none: `queries/revenue@2`.
       */
      method: string
      /** `OK`, or the error class of the failure. */
      outcome: string
      /** Id of the key, or null when the call had no valid key. */
      keyId: string | null
      /** Id of the owner of the key, or null when the call had no valid key. */
      ownerId: string | null
      /** Id of the project, or null when no project could be read from the params. */
      projectId: string | null
      /**
       * Key of the organization that owns the project; null when no project could be read from the params,
       * when there is none of this id, and when the caller may not read it.
       */
      organization: string | null
      /** Id of the snapshot that was read; null when none was. */
      snapshotId: string | null
      /** Relations of the catalogue that the statement reads; empty without a statement that was accepted. */
      relations: readonly string[]
      /** Id of the file that was exported or downloaded, by which its downloads are found; absent otherwise. */
      exportId?: string
      /** Time from the request to its answer, in milliseconds. */
      durationMs: number
      /** Time spent in each phase, in milliseconds. `encode` is missing: it follows the event. */
      phasesMs: Partial<Record<Phase, number>>
      /** Processor time of the engine for the statement, in milliseconds, as usage records have it. */
      processorMs: number
      /** Rows or projects in the answer, or rows in the exported file; 0 otherwise. */
      rows: number
      /**
       * Size of the query rows as JSON, of the exported file, or of the downloaded file, in bytes; 0
       * otherwise.
       */
      bytes: number
      /** The rule that a statement breaks which is answered INVALID_QUERY, as in the `data` of the answer. */
      rule?: string
      /** Line of the statement at which it breaks the rule, from 1; absent when there is no such place. */
      line?: number
      /** Column in that line, from 1, in characters. */
      column?: number
      /**
       * Digest of the statement but for its literals, comments and white space, 16 hexadecimal digits; present when the
       * call took `slowMs` or longer.
       */
      statement?: string
      /**
       * The caller's SQL, as sent. Present only with `sqlInEvents`, and only when the params could be read.
       */
      sql?: string
    }
  | {
      /** A port has rejected or timed out, or something that the engine depends on has failed. */
      type: 'dependency'
      /**
       * The dependency that has failed: a port of the host, by the name of its option (`snapshots` also when a snapshot
       * lacks a table that the catalogue has since then); `engine`, its folder, a built relation, or the removal of
       * files that a process left; `cache`, the removal of unused relations; or `guard`, the process that checks
       * statements.
       */
      port:
        | ('keys' | 'projects' | 'snapshots' | 'exports' | 'quota' | 'budget' | 'usage')
        | ('engine' | 'cache' | 'guard')
      /** The rejection reason or the error. */
      cause: unknown
    }
  | {
      /**
       * A bug in Foldgate or in the way it is mounted, or a relation or a named query of the catalogue whose SQL
       * cannot run, which the cause names. The caller received INTERNAL.
       */
      type: 'fault'
      /** Identifies the fault. The caller received it in `data.reference`. */
      reference: string
      /** The error. */
      cause: unknown
    }
  | {
      /** An engine process has started or died, or others have ended the process that reads statements, as the detail says. */
      type: 'engine'
      /** The change of the process. */
      what: 'started' | 'died'
      /**
       * `pid` and the process id; for `died`, the signal or exit status and the end of stderr, or what others have done to
       * end it.
       */
      detail: string
    }
  | {
      /** An engine process has started in place of one that had ended. */
      type: 'engine'
      /** The change of the process. */
      what: 'replaced'
      /**
       * Why the other one had ended: a statement reached its memory limit (`memory-limit`); it was not
       * stopped in time after its deadline, or after its caller had left (`deadline`); it ended by itself or
       * threw what it never should (`crash`); or, without any fault, jobs left more than 60 % of its memory
       * limit behind (`memory-kept`); or it sent what no engine process sends (`protocol`), as code that is not ours
       * might. Others have ended it where a signal came from outside (`killed`), or where the kernel sent it, since the
       * container, or a machine without one, had no memory left (`container-limit`).
       */
      reason:
        | 'memory-limit'
        | 'deadline'
        | 'crash'
        | 'memory-kept'
        | 'protocol'
        | 'killed'
        | 'container-limit'
      /**
       * Memory that the other one held when it last reported it, beyond what it needs when idle, in bytes; for `killed`
       * and `container-limit` on Linux, all that was resident at most 200 ms before its end.
       */
      heldBytes: number
      /**
       * How much it could have held, in bytes: `memoryLimitBytes` of the engine, and for `container-limit` the memory of
       * the container or the machine.
       */
      limitBytes: number
      /** `pid` and the id of the new process. */
      detail: string
    }
  | {
      /**
       * A build has succeeded or failed: of folds, or of a stored table that is read often. Before that, tables are read as
       * they were sealed.
       */
      type: 'build'
      /**
       * Name of the relation in the catalogue; when the build made several, the one that was refused, or the
       * last.
       */
      relation: string
      /** Snapshot that the relation is built from. */
      snapshotId: string
      /** Duration of the build, in milliseconds. */
      durationMs: number
      /** Why the build failed; absent when it succeeded. */
      cause?: unknown
    }
  | {
      /**
       * A mistake in the catalogue, which the default engine has found when it checked the catalogue after its start.
       * At most 100 mistakes are reported.
       */
      type: 'catalogue'
      /** Where it is, such as `fold "revenue"` or `query "revenue@1"`. */
      place: string
      /** What is wrong and what to write instead. */
      message: string
    }
  | {
      /**
       * With `sandbox: 'auto'`, walls of the operating system are missing here: engine processes run without them. The
       * default engine tells it when it starts.
       */
      type: 'sandbox'
      /** What puts up the other walls; null when there are none. */
      launcher: SandboxState['launcher']
      /** The walls that hold. */
      walls: SandboxState['walls']
      /** Why there are not all of them, and what to install. */
      missing: string
    }
  | {
      /**
       * For the first time, a call reads a newer snapshot of a project than the calls before it. The first
       * snapshot of a project that is read after the start has no event, and neither has one that no call
       * reads.
       */
      type: 'snapshot'
      /** Id of the project. */
      projectId: string
      /** Key of the organization that owns the project. */
      organization: string
      /** Id of the newer snapshot. */
      snapshotId: string
      /** When it was sealed, as an RFC 3339 timestamp in UTC. */
      sealedAt: string
    }

/** What a `dependency` event is about. */
export type PortName = Extract<AnalyticsEvent, { type: 'dependency' }>['port']

/** Why an engine process was replaced. */
export type ReplacedReason = Extract<AnalyticsEvent, { what: 'replaced' }>['reason']
