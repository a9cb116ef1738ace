import type { JsonSchema } from './json-schema.js'

/** What callers are told, where the catalogue has a tree of ownership (`tree`) and where it has none (`plain`). */
interface Worded {
  readonly tree: string
  readonly plain: string
}

/** Texts that differ with the catalogue, so that no caller of an order table reads of assessments. */
export const WORDS = {
  state: {
    tree:
      'Whether the analytics of the project can be read now. computed: an assessment has completed, and its analytics ' +
      'can be read even while the next one is running. computing: the first assessment is running, so there is nothing ' +
      'to read yet. notComputed: no assessment has completed, and none is running.',
    plain:
      'Whether the data of the project can be read now. computed: a snapshot can be read, even while the next one is ' +
      'being prepared. computing: the first snapshot is being prepared, so there is nothing to read yet. notComputed: ' +
      'there is no snapshot, and none is being prepared.',
  },
  kind: {
    tree:
      'fold: computed from the snapshot for the point of view of the query, mostly sums; prefer it to summing the ' +
      'tables. table: a table of the assessment as stored.',
    plain:
      'fold: computed from the tables of the snapshot, mostly sums; prefer it to summing the tables. table: a table of ' +
      'the snapshot as stored.',
  },
  queryParams: {
    tree: 'A query, its point of view, and the page of its rows to return.',
    plain: 'A query, and the page of its rows to return.',
  },
  exportParams: {
    tree: 'A query, its point of view, and the format of the file.',
    plain: 'A query, and the format of the file.',
  },
  notFound: {
    tree: 'The entity or export that the call names does not exist. For an export, the failure has no data.',
    plain: 'The export that the call names does not exist. The failure has no data.',
  },
  notReady: {
    tree: 'The project has no analytics to read. This differs from an empty result.',
    plain: 'The project has no snapshot to read. This differs from an empty result.',
  },
  retry: {
    tree: 'true: retry later. false: launch a new assessment first.',
    plain: 'true: retry later. false: a snapshot has to be sealed first.',
  },
  running: {
    tree: 'An assessment of the project is running. Retry later.',
    plain: 'The first snapshot of the project is being prepared. Retry later.',
  },
  unreadable: {
    tree: 'The last assessment of the project left no analytics that this version can read. Launch a new assessment.',
    plain: 'The project has no snapshot that this version can read. A new snapshot has to be sealed.',
  },
  never: {
    tree: 'No assessment of the project has completed. Launch a new assessment.',
    plain: 'No snapshot of the project has been sealed yet.',
  },
  otherQuery: {
    tree: 'The cursor belongs to another query: send the same projectId, sql, entityId and ownershipView.',
    plain: 'The cursor belongs to another query: send the same projectId and sql.',
  },
  replaced: {
    tree: 'A new assessment has replaced the snapshot of this cursor. Start again from the first page.',
    plain: 'A new snapshot has replaced the one of this cursor. Start again from the first page.',
  },
} as const satisfies Record<string, Worded>

/** Rewrites a schema or a document for a catalogue without a tree of ownership. */
export function plainly<Document extends JsonSchema>(document: Document): Document {
  return rewrite(document) as Document
}

function rewrite(value: unknown): unknown {
  if (typeof value === 'string')
    return Object.values(WORDS).reduce((text, { tree, plain }) => text.replaceAll(tree, plain), value)
  if (Array.isArray(value)) return value.map(rewrite)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member)]))
}
