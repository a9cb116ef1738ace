import type { Runnable } from '../methods/calls.js'
import type { CallContext } from '../methods/method.js'
import { readableProject } from '../methods/project.js'
import { readableWarnings } from '../methods/readable-catalogue.js'
import type { SealProblem } from '../model.js'
import type { Snapshot } from '../snapshots/manifest.js'

/** A snapshot by its id, and when it was sealed (RFC 3339, UTC). */
interface Dated {
  id: string
  sealedAt: string
}

/** What agents are told of the snapshot that a call has read. */
export interface SeenSnapshot extends Dated {
  /** The snapshot before it, unless no earlier snapshot can be read. */
  previous?: Dated
  /** Name of the SQL that its project speaks, where projects differ. */
  dialect?: string
  /** What sealing found wrong and let pass. */
  warnings?: SealProblem[]
}

/** What runs, and the snapshot that it has read once it is done; null when it reads none. */
export interface Seeing<Result> {
  runnable: Runnable<Result>
  snapshot(): SeenSnapshot | null
}

/** Watches which snapshot a method reads. */
export function seeing<Result>(runnable: Runnable<Result>): Seeing<Result> {
  let seen: SeenSnapshot | null = null
  return {
    runnable: {
      ...runnable,
      async run(params, context) {
        const outcome = await runnable.run(params, context)
        const { snapshot } = outcome
        if (snapshot) {
          // What the answer was read from is known: it does not fail for want of an older snapshot.
          const previous = await context.snapshots.before(snapshot, context.signal).catch(() => null)
          const warnings = readableWarnings(context.caller, snapshot.manifest)
          seen = {
            id: snapshot.snapshotId,
            sealedAt: snapshot.manifest.sealedAt,
            ...(previous ? { previous: { id: previous.snapshot, sealedAt: previous.sealedAt } } : {}),
            ...(await dialectOf(snapshot, context)),
            ...(warnings.length > 0 ? { warnings } : {}),
          }
        }
        return outcome
      },
    },
    snapshot: () => seen,
  }
}

async function dialectOf({ projectId }: Snapshot, context: CallContext): Promise<{ dialect?: string }> {
  const { engines } = context
  if (engines.dialects.length === 1) return {}
  const project = await readableProject(context, projectId).catch(() => null)
  return project ? { dialect: engines.of(project).engine.dialect } : {}
}
