import { named, nullable, object, optional, orNull, sent, text, uuid } from '../call/schema.js'
import { AnalyticsError } from '../errors.js'
import { nearest } from '../guard/nearest.js'
import type { Column, ProjectDescription } from '../model.js'
import type { ProjectRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { type CallContext, defineMethod, EXAMPLE_PROJECT, type MethodOutcome } from './method.js'
import { readableProject, readySnapshot } from './project.js'
import { running } from './statement.js'

const relationSummary = sent(
  'RelationSummary',
  'A relation that a query may name.',
  {
    name: { type: 'string', description: 'The name to use in FROM.' },
    kind: {
      title: 'RelationKind',
      type: 'string',
      enum: ['fold', 'table'],
      description:
        'fold: computed from the snapshot for the point of view of the query, mostly sums; prefer it to summing the ' +
        'tables. table: a table of the assessment as stored.',
    },
    about: orNull({ type: 'string', description: 'What a row represents; absent when the columns make it clear.' }),
  },
  ['about'],
)

const queryExample = sent('QueryExample', 'A worked query.', {
  question: { type: 'string', description: 'The question that the query answers.' },
  sql: { type: 'string', description: 'The SQL to send to projects/query.' },
})

const column = sent('Column', 'A column of a relation.', {
  name: { type: 'string', description: 'The name to use in a query.' },
  type: { type: 'string', description: 'Its SQL type, such as VARCHAR, DOUBLE or UUID.' },
})

const projectDescription = sent(
  'ProjectDescription',
  'What queries over a project may read.',
  {
    relations: { type: 'array', items: relationSummary, description: 'All relations, folds first.' },
    examples: { type: 'array', items: queryExample, description: 'Worked queries over the relations.' },
    columns: orNull({
      type: 'array',
      items: column,
      description: 'Columns of the relation that the params name, in order; absent when they name none.',
    }),
  },
  ['columns'],
)

export const describeProject = defineMethod({
  name: 'projects/describe',
  summary: 'Describe what queries may read',
  description:
    'Returns the relations that a query may name, folds first, with worked queries. If the params name a relation, ' +
    'also returns its columns. ' +
    'Relations and examples are the same for every project; columns are read from its latest sealed snapshot.',
  stability: 'experimental',
  scope: 'projectAnalytics',
  params: named(
    'ProjectDescribeParams',
    object(
      {
        projectId: uuid('Id of the project, from projects/list.'),
        relation: optional(nullable(text('The relation of the catalogue whose columns to return.')), null),
      },
      'The project to describe, and optionally one of its relations.',
    ),
  ),
  paramsOptional: false,
  errors: ['NOT_READY'],
  limits: ['buildTimeoutMs'],
  result: projectDescription,
  example: {
    params: { projectId: EXAMPLE_PROJECT },
    result: {
      relations: [
        { name: 'dash_ipbes', kind: 'fold', about: 'A row is a driver of change and its weight.' },
        { name: 'entities', kind: 'table' },
      ],
      examples: [
        {
          question: 'Which drivers of change weigh most?',
          sql: 'SELECT ipbes_pressure, value FROM dash_ipbes ORDER BY value DESC, ipbes_pressure',
        },
      ],
    },
  },
  async run({ projectId, relation }, context) {
    const { catalogue, engines } = context
    if (relation != null) checkRelation(context, relation, 'relation')
    const project = await readableProject(context, projectId)
    const snapshot = await readySnapshot(context, project)
    const result: ProjectDescription = {
      relations: [...catalogue.summaries],
      examples: [...engines.of(project).engine.examples],
    }
    if (relation != null) result.columns = (await readColumns(context, project, snapshot, [relation]))[0] ?? []
    return { result, rows: 0, bytes: 0, snapshot }
  },
})

/** Reads the columns of each of these relations of a snapshot. */
function readColumns(
  context: CallContext,
  project: ProjectRecord,
  snapshot: Snapshot,
  relations: readonly string[],
): Promise<Column[][]> {
  const { organization } = project
  const point = { snapshot, organization, entityId: null, ownershipView: 'net' as const }
  const reading = context.engines.of(project).engine.columns(point, relations, context)
  return running('', context.limits.buildTimeoutMs, reading)
}

/** The columns of several relations of a project, by relation. */
export async function describeColumns(
  context: CallContext,
  projectId: string,
  relations: readonly string[],
): Promise<MethodOutcome> {
  const project = await readableProject(context, projectId)
  const snapshot = await readySnapshot(context, project)
  const columns = await readColumns(context, project, snapshot, relations)
  const result = { columns: Object.fromEntries(relations.map((name, index) => [name, columns[index]])) }
  return { result, rows: 0, bytes: 0, snapshot }
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
