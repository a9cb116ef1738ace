import { seenRows } from '../call/caller.js'
import { type DescribeParams, describeParamsSchema } from '../call/params.js'
import { describedRelation } from '../catalogue/described.js'
import type { DescribedColumn, DescribedRelation } from '../catalogue-document.js'
import type { PointOfView } from '../engine/port.js'
import { AnalyticsError } from '../errors.js'
import {
  type Column,
  type ProjectDescription,
  projectDescriptionSchema,
  type RelationColumn,
} from '../model.js'
import type { ProjectRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { nearest } from '../values/nearest.js'
import type { Words } from '../words.js'
import { type CallContext, defineMethod, EXAMPLE_PROJECT, type MethodOutcome } from './method.js'
import { checkTables, engineOf, pinnedFailure, readableProject, readySnapshot } from './project.js'
import { readable, readableWarnings } from './readable-catalogue.js'
import { running } from './statement.js'
import { toldColumns } from './statistics.js'

export const describeProject = (words: Words) =>
  defineMethod({
    name: 'projects/describe',
    summary: 'Describe what queries may read',
    description:
      'Returns the relations that a query may name, folds first, with worked queries. If the params name a relation, ' +
      'also returns its columns. ' +
      'Relations and examples are the same for every project; columns are read from its latest sealed snapshot, or ' +
      'from the one that snapshot names.',
    stability: 'experimental',
    scope: 'projectAnalytics',
    params: describeParamsSchema,
    paramsOptional: false,
    errors: ['NOT_READY'],
    limits: ['buildTimeoutMs'],
    result: projectDescriptionSchema(words),
    example: {
      params: { projectId: EXAMPLE_PROJECT },
      result: words.description,
    },
    async run({ projectId, relation, include = [], snapshot: pinned }, context) {
      const { caller, catalogue } = context
      if (relation != null) checkRelation(context, relation, 'relation')
      else if (include.includes('statistics'))
        throw new AnalyticsError('INVALID_PARAMS', 'Statistics are those of a relation: name one.', {
          data: { path: 'include' },
        })
      const project = await readableProject(context, projectId)
      const snapshot = await readySnapshot(context, project, pinned)
      const { engine } = engineOf(context, project)
      const result: ProjectDescription = {
        relations: [...catalogue.summaries],
        examples: [...(await readable(caller, engine, engine.examples))],
      }
      if (relation != null)
        Object.assign(
          result,
          await readRelation(context, project, snapshot, relation, {
            pinned,
            isTold: include.includes('statistics'),
          }),
        )
      Object.assign(result, await readIncluded(context, { project, snapshot, include }))
      return { result, rows: 0, bytes: 0, snapshot }
    },
  })

/** Reads the columns of a relation and, where that is asked, what their values are. */
async function readRelation(
  context: CallContext,
  project: ProjectRecord,
  snapshot: Snapshot,
  relation: string,
  { pinned, isTold }: { pinned: string | null | undefined; isTold: boolean },
): Promise<Pick<ProjectDescription, 'columns' | 'rows'>> {
  const [columns = []] = await readColumns(context, project, snapshot, [relation], pinned)
  if (!isTold) return { columns }
  const { engine } = engineOf(context, project)
  const point = wholeProject(context, project, snapshot)
  const [statistics] = (await engine.statistics?.(point, [relation])) ?? []
  return statistics ? { columns: toldColumns(statistics), rows: statistics.rows } : { columns }
}

/** The point of view of a description: all that the caller sees. */
function wholeProject(
  context: CallContext,
  { organization }: ProjectRecord,
  snapshot: Snapshot,
): PointOfView {
  const rows = seenRows(context.catalogue, context.caller)
  return { snapshot, organization, entityId: null, ownershipView: 'net', ...(rows ? { rows } : {}) }
}

/** Reads the columns of each of these relations of a snapshot. */
function readColumns(
  context: CallContext,
  project: ProjectRecord,
  snapshot: Snapshot,
  relations: readonly string[],
  pinned: string | null | undefined,
): Promise<Column[][]> {
  if (pinned != null) checkTables(context.catalogue, snapshot, relations)
  const failing = pinned == null ? undefined : pinnedFailure(context, snapshot)
  const point = wholeProject(context, project, snapshot)
  const reading = engineOf(context, project).engine.columns(point, relations, context)
  return running({ sql: '' }, context.limits.buildTimeoutMs, reading, failing)
}

/** What `include` adds to a description. */
type Included = Pick<ProjectDescription, 'snapshots' | 'warnings' | 'dialect'>

async function readIncluded(
  context: CallContext,
  {
    project,
    snapshot,
    include,
  }: { project: ProjectRecord; snapshot: Snapshot; include: NonNullable<DescribeParams['include']> },
): Promise<Included> {
  const included: Included = {}
  if (include.includes('snapshots'))
    included.snapshots = await context.snapshots.all(project.projectId, context.signal)
  if (include.includes('warnings')) included.warnings = readableWarnings(context.caller, snapshot.manifest)
  if (include.includes('dialect')) included.dialect = engineOf(context, project).engine.dialect
  return included
}

/** A relation, with what the catalogue says about it, and the statistics that are known without building it. */
export interface KnownRelation extends DescribedRelation {
  rows?: number
  columns?: (DescribedColumn & Pick<RelationColumn, 'statistics'>)[]
}

/** Relations, with what the catalogue says about them, and what `include` adds. */
export interface DescribedRelations extends Included {
  relations: KnownRelation[]
}

/** Describes several relations of a project. Its snapshot tells the columns that the catalogue does not. */
export async function describeRelations(
  context: CallContext,
  { projectId, include = [], snapshot: pinned }: DescribeParams,
  names: readonly string[],
): Promise<MethodOutcome<DescribedRelations>> {
  const { catalogue } = context
  const project = await readableProject(context, projectId)
  const snapshot = await readySnapshot(context, project, pinned)
  const untold = names.filter(name => describedRelation(catalogue, name).columns === undefined)
  const read = untold.length > 0 ? await readColumns(context, project, snapshot, untold, pinned) : []
  const told = names.map(name => describedRelation(catalogue, name, read[untold.indexOf(name)]))
  const relations = include.includes('statistics')
    ? await withStatistics(context, project, snapshot, told)
    : told
  const result: DescribedRelations = {
    relations,
    ...(await readIncluded(context, { project, snapshot, include })),
  }
  return { result, rows: 0, bytes: 0, snapshot }
}

async function withStatistics(
  context: CallContext,
  project: ProjectRecord,
  snapshot: Snapshot,
  relations: readonly DescribedRelation[],
): Promise<KnownRelation[]> {
  const { engine } = engineOf(context, project)
  const names = relations.map(({ name }) => name)
  const known = (await engine.statistics?.(wholeProject(context, project, snapshot), names)) ?? []
  return relations.map((relation, at): KnownRelation => {
    const found = known[at]
    if (!found) return relation
    const statistics = new Map(toldColumns(found).map(column => [column.name, column.statistics]))
    const columns = relation.columns?.map(column => {
      const own = statistics.get(column.name)
      return own ? { ...column, statistics: own } : column
    })
    return { ...relation, rows: found.rows, ...(columns ? { columns } : {}) }
  })
}

/** Throws INVALID_PARAMS for a relation that the catalogue lacks. `path` is the field that names it. */
export function checkRelation({ catalogue }: CallContext, relation: string, path: string): void {
  const names = catalogue.summaries.map(summary => summary.name)
  if (names.includes(relation)) return
  const near = nearest(relation, names)
  const hint = near ? `Did you mean "${near}"?` : 'Leave it out to see them all.'
  throw new AnalyticsError('INVALID_PARAMS', `The catalogue has no such relation. ${hint}`, {
    data: { path },
  })
}
