import { AnalyticsError } from '../errors.js'
import { nearest } from '../guard/nearest.js'
import type { Column, ProjectDescription } from '../model.js'
import { nullable, object, optional, text, uuid } from '../schema.js'
import { type CallContext, defineMethod } from './method.js'
import { readableProject, readySnapshot } from './project.js'
import { running } from './statement.js'

export const describeProject = defineMethod({
  name: 'projects/describe',
  summary: 'Describe what queries may read',
  description:
    'The relations that a query may name, folds first, with worked queries; with a relation, also its columns. ' +
    'Relations and examples are the same for every project; columns are read from its latest sealed snapshot.',
  stability: 'experimental',
  params: object(
    {
      projectId: uuid('Id of the project, from projects/list.'),
      relation: optional(nullable(text('A relation of the catalogue whose columns are wanted.')), null),
    },
    'Which project, and which relation.',
  ),
  paramsOptional: false,
  errors: ['NOT_READY'],
  async run({ projectId, relation }, context) {
    const { summaries, examples } = context.catalogue
    if (relation != null) checkRelation(context, relation)
    const project = await readableProject(context, projectId)
    const snapshot = await readySnapshot(context, project)
    const result: ProjectDescription = { relations: [...summaries], examples: [...examples] }
    if (relation != null) {
      const point = { snapshot, entityId: null, ownershipView: 'net' as const }
      const columns: Promise<Column[]> = context.engine.columns(point, relation, context.signal)
      result.columns = await running('', context.limits.buildTimeoutMs, columns)
    }
    return { result, rows: 0, bytes: 0 }
  },
})

function checkRelation({ catalogue }: CallContext, relation: string): void {
  const names = catalogue.summaries.map(summary => summary.name)
  if (names.includes(relation)) return
  const near = nearest(relation.slice(0, 80), names)
  const hint = near ? `Did you mean "${near}"?` : 'Leave it out to see them all.'
  throw new AnalyticsError('INVALID_PARAMS', `The catalogue has no such relation. ${hint}`, {
    data: { path: 'relation' },
  })
}
