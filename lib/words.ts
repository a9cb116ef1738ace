/**
 * What callers are told where catalogues differ: assessed projects have a tree of ownership, and a point of view;
 * other projects have snapshots, and neither.
 */
export interface Words {
  /** Whether callers choose a point of view. If not, no method reads `entityId` and `ownershipView`. */
  readonly hasPointOfView: boolean
  /** What agents are told that the service has. */
  readonly subject: string
  /** What agents are told that a query is for one of. */
  readonly view: string
  /** What the states of a project mean. */
  readonly state: string
  /** What the kinds of relations mean. */
  readonly kind: string
  /** What the params of `projects/query` are. */
  readonly queryParams: string
  /** What the params of `projects/export` are. */
  readonly exportParams: string
  /** The meaning of NOT_FOUND, for callers. */
  readonly notFound: string
  /** The meaning of NOT_READY, for callers. */
  readonly notReady: string
  /** What `retry` of NOT_READY means. */
  readonly retry: string
  /** NOT_READY: what would be read is being prepared. */
  readonly running: string
  /** NOT_READY: the project has snapshots, but none that this version can read. */
  readonly unreadable: string
  /** NOT_READY: the project has never had a snapshot. */
  readonly never: string
  /** INVALID_PARAMS: the cursor belongs to another query. */
  readonly otherQuery: string
  /** INVALID_PARAMS: the cursor belongs to an older snapshot. */
  readonly replaced: string
  /** A statement that runs with any catalogue, as it reads no relation, and its rows. */
  readonly sample: { readonly sql: string; readonly items: readonly object[] }
  /** Another, with values in place of literals. */
  readonly bound: { readonly sql: string; readonly parameters: Readonly<Record<string, unknown>> }
  /** A description of a project, as an example. */
  readonly description: { readonly relations: readonly object[]; readonly examples: readonly object[] }
}

const ASSESSED: Words = {
  hasPointOfView: true,
  subject: 'Analytics of assessed projects',
  view: 'project and point of view',
  state:
    'Whether the analytics of the project can be read now. computed: an assessment has completed, and its analytics ' +
    'can be read even while the next one is running. computing: the first assessment is running, so there is nothing ' +
    'to read yet. notComputed: no assessment has completed, and none is running.',
  kind:
    'fold: computed from the snapshot for the point of view of the query, mostly sums; prefer it to summing the ' +
    'tables. table: a table of the assessment as stored.',
  queryParams: 'A query, its point of view, and the page of its rows to return.',
  exportParams: 'A query, its point of view, and the format of the file.',
  notFound:
    'The entity or export that the call names does not exist. For an export, the failure has no data.',
  notReady: 'The project has no analytics to read. This differs from an empty result.',
  retry: 'true: retry later. false: launch a new assessment first.',
  running: 'An assessment of the project is running. Retry later.',
  unreadable:
    'The last assessment of the project left no analytics that this version can read. Launch a new assessment.',
  never: 'No assessment of the project has completed. Launch a new assessment.',
  otherQuery:
    'The cursor belongs to another query: send the same projectId, sql, entityId and ownershipView.',
  replaced: 'A new assessment has replaced the snapshot of this cursor. Start again from the first page.',
  sample: {
    sql: "SELECT region, net FROM (VALUES ('north', 12.5), ('south', 40)) AS sample(region, net) ORDER BY net DESC",
    items: [
      { region: 'south', net: 40 },
      { region: 'north', net: 12.5 },
    ],
  },
  bound: {
    sql: "SELECT net FROM (VALUES ('north', 12.5), ('south', 40)) AS sample(region, net) WHERE region = $region AND net > $least",
    parameters: { region: 'south', least: { type: 'DECIMAL(9,2)', value: 12.5 } },
  },
  description: {
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
}

const SEALED: Words = {
  hasPointOfView: false,
  subject: 'Data of projects',
  view: 'project',
  state:
    'Whether the data of the project can be read now. computed: a snapshot can be read, even while the next one is ' +
    'being prepared. computing: the first snapshot is being prepared, so there is nothing to read yet. notComputed: ' +
    'there is no snapshot, and none is being prepared.',
  kind:
    'fold: computed from the tables of the snapshot, mostly sums; prefer it to summing the tables. table: a table of ' +
    'the snapshot as stored.',
  queryParams: 'A query, and the page of its rows to return.',
  exportParams: 'A query, and the format of the file.',
  notFound: 'The export that the call names does not exist. The failure has no data.',
  notReady: 'The project has no snapshot to read. This differs from an empty result.',
  retry: 'true: retry later. false: a snapshot has to be sealed first.',
  running: 'A snapshot of the project is being prepared. Retry later.',
  unreadable: 'The project has no snapshot that this version can read. A new snapshot has to be sealed.',
  never: 'No snapshot of the project has been sealed yet.',
  otherQuery: 'The cursor belongs to another query: send the same projectId and sql.',
  replaced: 'A new snapshot has replaced the one of this cursor. Start again from the first page.',
  sample: {
    sql: "SELECT region, paid FROM (VALUES ('north', 12.5), ('south', 40)) AS sample(region, paid) ORDER BY paid DESC",
    items: [
      { region: 'south', paid: 40 },
      { region: 'north', paid: 12.5 },
    ],
  },
  bound: {
    sql: "SELECT paid FROM (VALUES ('north', 12.5), ('south', 40)) AS sample(region, paid) WHERE region = $region AND paid > $least",
    parameters: { region: 'south', least: { type: 'DECIMAL(9,2)', value: 12.5 } },
  },
  description: {
    relations: [
      { name: 'revenue', kind: 'fold', about: 'One month, with what all customers paid in it.' },
      { name: 'orders', kind: 'table' },
    ],
    examples: [
      {
        question: 'How much did we earn in each month?',
        sql: 'SELECT month, revenue FROM revenue ORDER BY month',
      },
    ],
  },
}

/** The words for a catalogue: without a tree, there is no point of view, and nothing is called an assessment. */
export function wordsFor({ hierarchy }: { readonly hierarchy: object | null }): Words {
  return hierarchy ? ASSESSED : SEALED
}
