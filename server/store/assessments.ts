import { randomUUID } from 'node:crypto'
import type { AssessmentState } from '../database/schema.js'
import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { type Published, recordSealed } from './newest-snapshots.js'
import { findProject, requireProject } from './projects.js'

/** An assessment of a project. Instants are epoch milliseconds. */
export interface Assessment {
  id: string
  projectId: string
  state: AssessmentState
  startedAt: number
  endedAt: number | null
}

/** Starts an assessment. Throws a Refusal when the project is unknown or has a running assessment. */
export async function startAssessment(store: Store, projectId: string): Promise<Assessment> {
  return store.transaction(async within => {
    const project = await requireProject(within, projectId)
    const running = await findRunningAssessment(within, project.projectId)
    if (running) {
      throw new Refusal(
        `The assessment ${running.id} of this project is running, and a project has one at a time: end it first with ` +
          '"foldgate assessment complete" or "foldgate assessment fail"',
      )
    }
    const id = randomUUID()
    await within.db
      .insertInto('assessments')
      .values({
        id,
        project_id: project.projectId,
        state: 'running',
        started_at: store.clock.now(),
        ended_at: null,
      })
      .execute()
    return requireAssessment(within, id)
  })
}

/**
 * Ends a running assessment. Tells of one that is completed, unless users know of no assessments.
 * Throws a Refusal when it is unknown or has ended.
 */
export async function endAssessment(
  store: Store,
  id: string,
  state: 'completed' | 'failed',
  { hasAssessments } = { hasAssessments: true },
): Promise<Assessment> {
  return store.transaction(async within => {
    const assessment = await requireRunningAssessment(within, id)
    const now = store.clock.now()
    await within.db
      .updateTable('assessments')
      .set({ state, ended_at: now })
      .where('id', '=', assessment.id)
      .execute()
    if (state === 'completed' && hasAssessments) await tellCompleted(within, assessment, now)
    return requireAssessment(within, assessment.id)
  })
}

/**
 * Records a snapshot that was sealed in one step, with an assessment of its own that is completed at once, see
 * {@link recordSealed} for `before`. When nothing has changed since a snapshot that was recorded, there is no assessment
 * to record. Returns false when the project was removed meanwhile; its files are then
 * removed.
 */
export async function recordAssessed(
  store: Store,
  {
    manifest,
    unchanged,
    before,
    id,
    startedAt,
  }: { manifest: Published; unchanged: boolean; before?: string | null; id: string; startedAt: number },
  { hasAssessments }: { hasAssessments: boolean },
): Promise<boolean> {
  return store.transaction(async within => {
    const { projectId } = manifest
    const project = await findProject(within, projectId)
    await recordSealed(within, manifest, before)
    if (!project) return false
    if (unchanged && project.completed) return true
    const now = within.clock.now()
    await within.db
      .insertInto('assessments')
      .values({ id, project_id: projectId, state: 'completed', started_at: startedAt, ended_at: now })
      .execute()
    if (hasAssessments) await tellCompleted(within, { id, projectId }, now)
    return true
  })
}

async function tellCompleted(
  within: Store,
  { id, projectId }: Pick<Assessment, 'id' | 'projectId'>,
  at: number,
): Promise<void> {
  const { organization } = await requireProject(within, projectId)
  const data = { projectId, organization, assessmentId: id, completedAt: formatInstant(at) }
  await within.tell({ type: 'assessment.completed', subject: id, at, concerns: { organization }, data })
}

/** Lists the assessments of a project, oldest first. Throws a Refusal when the project is unknown. */
export async function listAssessments(store: Store, projectId: string): Promise<Assessment[]> {
  const project = await requireProject(store, projectId)
  const rows = await selectAssessments(store)
    .where('project_id', '=', project.projectId)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  return rows.map(asAssessment)
}

/** Returns the running assessment of a project, or null. */
export async function findRunningAssessment(store: Store, projectId: string): Promise<Assessment | null> {
  const row = await selectAssessments(store)
    .where('project_id', '=', projectId)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return row ? asAssessment(row) : null
}

/** Returns a running assessment by id. Throws a Refusal when it is unknown or has ended. */
export async function requireRunningAssessment(store: Store, id: string): Promise<Assessment> {
  const assessment = await requireAssessment(store, id)
  if (assessment.state === 'running') return assessment
  throw new Refusal(
    `The assessment ${assessment.id} has ${assessment.state}: start a new one with "foldgate assessment start"`,
  )
}

/** Returns an assessment by id. Throws a Refusal when it is unknown. */
async function requireAssessment(store: Store, id: string): Promise<Assessment> {
  const row = await selectAssessments(store).where('id', '=', id.toLowerCase()).executeTakeFirst()
  if (!row) throw new Refusal(`There is no assessment ${quoted(id)}: see "foldgate assessment list PROJECT"`)
  return asAssessment(row)
}

function selectAssessments(store: Store) {
  return store.db.selectFrom('assessments').selectAll()
}

function asAssessment(row: {
  id: string
  project_id: string
  state: AssessmentState
  started_at: number
  ended_at: number | null
}): Assessment {
  return {
    id: row.id,
    projectId: row.project_id,
    state: row.state,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}
