import {
  absent,
  count,
  type Infer,
  list,
  type ObjectOf,
  oneOf,
  record,
  string,
  type TypedSchema,
  truth,
} from './json-schema.js'
import type { Words } from './words.js'

/** The ways in which ownership may count. */
export const OWNERSHIP_VIEWS = ['net', 'gross'] as const

/**
 * How ownership counts: `net` weights an entity by its share along the path from the entity read, `gross` by
 * 100 %.
 */
export type OwnershipView = (typeof OWNERSHIP_VIEWS)[number]

/** The formats of exported files; the first one is the default. */
export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson', 'arrow', 'xlsx'] as const

/** Format of an exported file; `arrow` is an IPC stream. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const projectStateSchema = ({ state }: Words) =>
  oneOf('ProjectState', ['computed', 'computing', 'notComputed'] as const, state)

/**
 * Whether a project can be read now: `computed` once a snapshot can be read, even while the next one is prepared; `computing` while the first one is; `notComputed` otherwise.
 */
export type ProjectState = Infer<ReturnType<typeof projectStateSchema>>

export const projectSummarySchema = (words: Words) =>
  record('ProjectSummary', 'A project that the key can read.', {
    /** UUID in lower case. */
    projectId: string('Id of the project, as used by the other methods.', { format: 'uuid', maxLength: 36 }),
    /** Display name. */
    name: string('Name of the project, as the service shows it.'),
    /** Key of the organization that owns the project. */
    organization: organizationKey(),
    /** Whether its analytics can be read now. */
    state: projectStateSchema(words),
  })

function organizationKey(): TypedSchema<string> {
  const { json } = string('Key of the organization that owns the project.')
  return { json: { title: 'OrganizationKey', ...json } }
}

/** A project that the key can read. */
export interface ProjectSummary extends Infer<ReturnType<typeof projectSummarySchema>> {}

/** One page of a list. */
export interface Page<Item> {
  /** At most `page.limit` items; fewer on the last page, or when the page reaches the limit `pageBytes`. */
  items: Item[]
  /** Cursor of the next page, to be sent as `page.cursor`; absent on the last page. */
  nextCursor?: string
}

export const relationKindSchema = ({ kind }: Words) => oneOf('RelationKind', ['fold', 'table'] as const, kind)

const relationSummarySchema = (words: Words) =>
  record('RelationSummary', 'A relation that a query may name.', {
    /** Name, as written in FROM. */
    name: string('The name to use in FROM.'),
    /** `fold`: computed for the point of view of the query; `table`: a table of the snapshot, as stored. */
    kind: relationKindSchema(words),
    /** What one row stands for; only folds have it. */
    about: absent(string('What a row represents; absent when the columns make it clear.')),
  })

/** A relation that a query may name. */
export interface RelationSummary extends Infer<ReturnType<typeof relationSummarySchema>> {}

export const queryExampleSchema = record('QueryExample', 'A worked query.', {
  /** The question, in one sentence. */
  question: string('The question that the query answers.'),
  /** One SELECT that answers the question. */
  sql: string('The SQL to send to projects/query.'),
})

/** An example query, and the question that it answers. */
export interface QueryExample extends Infer<typeof queryExampleSchema> {}

export const columnSchema = record('Column', 'A column of a relation or a result.', {
  /** Name, as written in SQL. */
  name: string('The name to use in a query.'),
  /** SQL type, such as `DECIMAL(18,3)`. */
  type: string('Its SQL type, such as VARCHAR, DOUBLE or UUID.'),
})

/** A column of a relation or a result. */
export interface Column extends Infer<typeof columnSchema> {}

/** A value of a column: a number or truth value where JSON has one, else its text. */
export type KnownValue = string | number | boolean

const knownValue = (description: string): TypedSchema<KnownValue> => ({
  json: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }], description },
})

const columnStatisticsSchema = record('ColumnStatistics', 'What the values of a column are.', {
  /** Number of NULLs. */
  nulls: count('The number of NULLs.'),
  /** Number of values besides NULL; there are at least so many where `values` are not listed. */
  distinct: count(
    'The number of values besides NULL; there are at least so many where `values` are not listed.',
  ),
  /** The values besides NULL, where there are at most 50 and they are short. */
  values: absent(
    list<KnownValue>(knownValue('A value.'), 'The values besides NULL, where there are at most 50.'),
  ),
  /** The smallest number, date or time; absent for other types, and where all values are NULL. */
  min: absent(knownValue('The smallest number, date or time.')),
  /** The largest one. */
  max: absent(knownValue('The largest number, date or time.')),
})

/** What the values of a column are. */
export interface ToldStatistics extends Infer<typeof columnStatisticsSchema> {}

const relationColumnSchema = record('RelationColumn', 'A column of a relation.', {
  /** Name, as written in SQL. */
  name: string('The name to use in a query.'),
  /** SQL type, such as `DECIMAL(18,3)`. */
  type: string('Its SQL type, such as VARCHAR, DOUBLE or UUID.'),
  /** What its values are; only with `include: ['statistics']`, and absent for nested and binary types. */
  statistics: absent(
    columnStatisticsSchema as TypedSchema<ToldStatistics>,
    'What its values are; absent unless `include` asks for it, and for nested and binary types.',
  ),
})

/** A column of a relation, as `projects/describe` returns it. */
export interface RelationColumn extends Infer<typeof relationColumnSchema> {}

const keptSnapshotSchema = record('KeptSnapshot', 'A sealed snapshot of a project that can be read.', {
  /** Id, as the param `snapshot` takes it. */
  snapshot: string('Its id, as the param snapshot takes it.'),
  /** When it was sealed, as an RFC 3339 timestamp in UTC. */
  sealedAt: string('When it was sealed, in UTC.', { format: 'date-time' }),
})

/** A sealed snapshot of a project that can be read. */
export interface KeptSnapshot extends Infer<typeof keptSnapshotSchema> {}

const sealProblemSchema = record('SealProblem', 'What sealing found wrong with a table.', {
  /** Name of the table. */
  table: string('The name of the table.'),
  /**
   * Name of the column, or of several with commas between them; absent when the problem is the table as a
   * whole.
   */
  column: absent(string('The name of the column, or of several with commas between them.')),
  /**
   * What is wrong, in English. When several rows are wrong, it names one of them, or their first values, and
   * counts them. Rows of a CSV file are named by the line in which they begin.
   */
  message: string('What is wrong, in English.'),
  /** Number of rows that are wrong; absent when the problem is not about rows. */
  rows: absent(count('The number of rows that are wrong.')),
})

/** What sealing found wrong with a table. */
export interface SealProblem extends Infer<typeof sealProblemSchema> {}

export const projectDescriptionSchema = (words: Words) =>
  record('ProjectDescription', 'What queries over a project may read.', {
    /** Relations that a query may name, folds first. */
    relations: list<RelationSummary>(relationSummarySchema(words), 'All relations, folds first.'),
    /** Example queries, to start from. */
    examples: list<QueryExample>(queryExampleSchema, 'Worked queries over the relations.'),
    /** Columns of the relation in the params, in order; absent when the params name none. */
    columns: absent(
      list<RelationColumn>(
        relationColumnSchema,
        'Columns of the relation that the params name, in order; absent when they name none.',
      ),
    ),
    /** Number of its rows; only with `include: ['statistics']`, where they are known. */
    rows: absent(
      count(
        'The number of rows of that relation; absent unless `include` asks for statistics that are known.',
      ),
    ),
    /** The snapshots that are kept, newest first; only with `include: ['snapshots']`. */
    snapshots: absent(
      list<KeptSnapshot>(
        keptSnapshotSchema,
        'The snapshots that are kept, newest first; absent unless `include` asks for them.',
      ),
    ),
    /** What sealing found wrong with the snapshot and let pass; only with `include: ['warnings']`. */
    warnings: absent(
      list<SealProblem>(
        sealProblemSchema,
        'What sealing found wrong with the snapshot and let pass; absent unless `include` asks for them.',
      ),
    ),
    /** Name of the SQL that the project speaks, such as `DuckDB`; only with `include: ['dialect']`. */
    dialect: absent(
      string('Name of the SQL that the project speaks, such as DuckDB; absent unless `include` asks for it.'),
    ),
  })

/** Result of `projects/describe`. */
export interface ProjectDescription extends Infer<ReturnType<typeof projectDescriptionSchema>> {}

/** A row of a query: JSON values by column name. */
export type Row = Record<string, unknown>

export const rowSchema: TypedSchema<Row> = {
  json: {
    title: 'Row',
    type: 'object',
    description:
      'A row, keyed by column name. A value that a JSON number cannot represent exactly is a string.',
    additionalProperties: true,
  },
}

const readRelationSchema = record('ReadRelation', 'A relation that a statement reads.', {
  /** Name, as written in FROM. */
  name: string('The name of the relation.'),
  /** Whether it is built for this snapshot and point of view; if not, the first query waits for it. */
  built: truth('Whether it is built already; if not, the first query waits until it is.'),
})

/** A relation that a statement reads. */
export interface ReadRelation extends Infer<typeof readRelationSchema> {}

/** Columns of a result, as the methods that run a statement return them. */
export const resultColumnsSchema = absent(
  list<Column>(columnSchema, 'Columns of the result, in order; absent unless `include` asks for them.'),
)

/** The kinds of hints. */
export const HINT_KINDS = [
  ...([
    'value',
    'range',
    'join',
    'unit',
    'additive',
    'null',
    'midnight',
    'order',
    'limit',
    'truncation',
    'view',
  ] as const),
] as const

const hintSchema = record('Hint', 'What is probably wrong with a statement.', {
  /**
   * `value`: a column never has it. `range`: all values are outside of it. `join`: rows come several times. `unit`, `additive`:
   * a sum of what cannot be added. `null`: NOT IN meets a NULL. `midnight`: a day ends as it begins. `order`: rows are ordered
   * by letters, or not fully. `limit`: any rows come. `truncation`: digits are cut, or not cut. `view`: the entity has no effect.
   */
  kind: oneOf('HintKind', HINT_KINDS, 'What kind of mistake it is.'),
  /** What is wrong, and what to do, in English. */
  message: string('What is wrong, and what to do, in English.'),
  /** Where it is in the statement, from line 1 and column 1; absent for a named query, whose SQL is not told. */
  at: absent(
    record('Place', 'Where it is in the statement.', {
      /** Line, from 1. */
      line: count('Line, from 1.'),
      /** Column in characters, from 1. */
      column: count('Column in characters, from 1.'),
    }) as TypedSchema<Place>,
  ),
  /** The relation that it is about. */
  relation: absent(string('The relation that it is about.')),
  /** The column of that relation. */
  column: absent(string('The column of that relation.')),
  /** What to write in that place. */
  instead: absent(string('What to write in that place.')),
})

/** A place in a statement. */
export interface Place {
  /** Line, from 1. */
  line: number
  /** Column in characters, from 1. */
  column: number
}

/** A hint on a mistake in a statement. */
export interface Hint extends Infer<typeof hintSchema> {}

/** Hints on a statement, as the methods that run one return them. */
export const hintsSchema = absent(
  list<Hint>(hintSchema, 'What is probably wrong with the statement; absent unless `include` asks for it.'),
)

/** Members of a page of rows besides the rows. */
export const rowListFields = {
  /** Hints on mistakes in the statement; only with `include: ['hints']`. */
  hints: hintsSchema,
  /** Columns of the result, in order; only with `include: ['columns']` and in a dry run. */
  columns: resultColumnsSchema,
  /** Rows of the whole result; only with `include: ['total']`, and absent when they cannot be counted in time. */
  total: absent(count('Rows of the whole result; absent unless `include` asks for it.')),
  /** Relations that the statement reads; only in a dry run. */
  relations: absent(
    list<ReadRelation>(readRelationSchema, 'Relations that the statement reads; absent but in a dry run.'),
  ),
}

/** A page of rows, and what `include` or a dry run asked for. */
export interface RowPage extends Page<Row>, ObjectOf<typeof rowListFields> {}

/** A value of a parameter: as JSON, or with its SQL type and the value as rows of that type have it. */
export type ParameterValue = string | number | boolean | null | TypedValue

/** A value of a parameter with its type. */
export interface TypedValue {
  /** SQL type: a scalar type, such as `DATE` or `DECIMAL(10,2)`, or a list of one, such as `VARCHAR[]`. */
  type: string
  /** The value, as rows of that type have it; null for NULL. */
  value: unknown
}

export const projectExportSchema = record('ProjectExport', 'A file with every row of a query.', {
  /** URL of the file. It works with every key of the same owner that can read the project. */
  url: string(
    'Link to the file on this service. It needs the key of this call or another key of its owner.',
    {
      format: 'uri',
    },
  ),
  /** When the URL expires, as an RFC 3339 timestamp in UTC. */
  expiresAt: string('When the url expires, in UTC.', { format: 'date-time' }),
  /** Rows in the file. */
  rows: count('Rows in the file.'),
  /** Size of the file, in bytes. */
  bytes: count('Size of the file in bytes.'),
  /** Hints on mistakes in the statement; only with `include: ['hints']`. */
  hints: hintsSchema,
  /** Columns of the result, in order; only with `include: ['columns']`. */
  columns: resultColumnsSchema,
})

/** Result of `projects/export`. */
export interface ProjectExport extends Infer<typeof projectExportSchema> {}

export const warningSchema = record(
  'Warning',
  'A field of the params that the method does not read. It was ignored.',
  {
    /** Path of the field, with dots: `page.size`. */
    path: string('Path of the field in the params, with dots: page.nextCursor.'),
    /** What is wrong with the field, in English. */
    message: string('What happened to the field.'),
  },
)

/** A field of the params that the method did not read. */
export interface Warning extends Infer<typeof warningSchema> {}

/** The answer of a call that succeeded. */
export interface CallAnswer<Result = unknown> {
  /** Result of the method. */
  result: Result
  /** Fields of the params that the method did not read; absent when it read all of them. */
  warnings?: Warning[]
}

/** Name of a method. */
export type MethodName = 'projects/list' | 'projects/describe' | 'projects/query' | 'projects/export'

/** Names of the methods, in the order in which they are described. */
export const METHOD_NAMES: readonly MethodName[] = [
  'projects/list',
  'projects/describe',
  'projects/query',
  'projects/export',
]
