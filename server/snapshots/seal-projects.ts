import { Places, parseManifest } from 'foldgate/internal'
import {
  fromFolder,
  SealError,
  type Sealer,
  type SealManyRequest,
  type SealProblem,
  type SnapshotManifest,
  type SnapshotStore,
} from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import type { ServerWords } from '../settings/words.js'
import {
  type Assessment,
  endAssessment,
  findRunningAssessment,
  startAssessment,
} from '../store/assessments.js'
import { newestSnapshot, recordSealed } from '../store/newest-snapshots.js'
import { ofProjects, PROJECT_COLUMN } from './folder-tables.js'
import { ofTable, problemLines } from './problems.js'

/** A project whose rows are in a package. */
export interface ProjectOfPackage {
  id: string
  /** Its `project_key` in the tables. */
  key: string
  name: string
}

/** Projects of a package that are to be sealed. */
export interface ProjectsToSeal<Project extends ProjectOfPackage> {
  folder: string
  projects: readonly Project[]
  /** Keys that rows may have beside those of the projects. */
  known: ReadonlySet<string>
  sourceDigest?(project: Project): string
  signal?: AbortSignal | undefined
  /** The first line of the Refusal for tables with problems. */
  refusal: string
  onBegin?(project: Project): void
  onSealed(project: Project): void
}

/**
 * Seals projects of a package, which is read once. In the store, one follows the other: the assessment of a project, which
 * may be running already, is completed before that of the next one starts. The first failure ends the sealing, with the
 * assessment still running unless the rows have problems: those are listed in a Refusal.
 */
export async function sealProjects<Project extends ProjectOfPackage>(
  {
    store,
    sealer,
    snapshots,
    words,
  }: { store: Store; sealer: Sealer; snapshots: SnapshotStore; words: ServerWords },
  { folder, projects, known, sourceDigest, signal, refusal, onBegin, onSealed }: ProjectsToSeal<Project>,
): Promise<void> {
  const byKey = new Map(projects.map(project => [project.key, project]))
  const failing = new AbortController()
  const either = AbortSignal.any([failing.signal, ...(signal ? [signal] : [])])
  const turns = new Places(1)
  const begun = new Map<string, { assessment: Assessment; before: string | null; leave(): void }>()
  const projectOf = (key: string) => byKey.get(key) as Project
  const begin = async (key: string) => {
    const project = projectOf(key)
    const leave = await turns.take()
    try {
      either.throwIfAborted()
      onBegin?.(project)
      either.throwIfAborted()
      const before = await newestSnapshot(store, project.id)
      const running = await findRunningAssessment(store, project.id)
      const one = { assessment: running ?? (await startAssessment(store, project.id)), before, leave }
      begun.set(key, one)
      return one
    } catch (cause) {
      leave()
      failing.abort(cause)
      throw cause
    }
  }
  const end = async (outcome: Outcome) => {
    const project = projectOf(outcome.key)
    try {
      if ('error' in outcome && !(outcome.error instanceof SealError)) throw outcome.error
      const { assessment, before } = begun.get(project.key) ?? (await begin(project.key))
      if (!('snapshotId' in outcome)) {
        await endAssessment(store, assessment.id, 'failed')
        const problems =
          'error' in outcome ? (outcome.error as SealError).problems : [withoutRows(project.key)]
        throw refused(refusal, problems, project.name)
      }
      const manifest = await manifestOf(snapshots, project.id, outcome.snapshotId)
      await store.transaction(async within => {
        await recordSealed(within, manifest, before)
        await endAssessment(within, assessment.id, 'completed', words)
      })
      onSealed(project)
    } catch (cause) {
      failing.abort(cause)
    } finally {
      begun.get(project.key)?.leave()
    }
  }
  const ending: Promise<void>[] = []
  try {
    await sealer.sealMany({
      ...ofProjects(fromFolder(folder), new Map(projects.map(({ id, key }) => [key, id])), either),
      known,
      assessmentId: async key => (await begin(key)).assessment.id,
      ...(sourceDigest ? { sourceDigest: (key: string) => sourceDigest(projectOf(key)) } : {}),
      onOutcome: outcome => void ending.push(end(outcome)),
    })
  } catch (cause) {
    throw cause instanceof SealError ? refused(refusal, cause.problems) : cause
  } finally {
    await Promise.all(ending)
  }
  if (failing.signal.aborted) throw either.reason
}

type Outcome = Parameters<NonNullable<SealManyRequest['onOutcome']>>[0]

/** The problem with a project that is to be sealed, and of which no table has rows. */
export function withoutRows(key: string): SealProblem {
  return { table: 'projects.csv', message: `no table has rows whose ${PROJECT_COLUMN} is ${quoted(key)}` }
}

function refused(heading: string, problems: readonly SealProblem[], project?: string): Refusal {
  const lines = problemLines(
    problems.map(each => ({ ...ofTable(each), ...(project === undefined ? {} : { project }) })),
  )
  return new Refusal(`${heading}\n${lines.join('\n')}\nRun the command again`)
}

async function manifestOf(
  snapshots: SnapshotStore,
  projectId: string,
  snapshotId: string,
): Promise<SnapshotManifest> {
  const text = await snapshots.manifestOf(projectId, snapshotId, new AbortController().signal)
  const manifest = text === null ? null : parseManifest(text)
  if (!manifest) throw new Error('the snapshot that was sealed is not there any more')
  return manifest
}
