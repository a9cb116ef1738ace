import type { ChunkRange, FailureKind } from 'foldgate/engine'
import {
  choice,
  count,
  either,
  type FromJson,
  flag,
  type GivenColumn,
  type GivenRows,
  type GivenType,
  type Infer,
  listOf,
  object,
  optional,
  type PageRange,
  pairOf,
  recursive,
  type Schema,
  text,
} from 'foldgate/internal'
import type { StatementRequest } from '../protocol/client.js'
import type { RowLimits } from './rows.js'

/** The form in which the rows of a statement are wanted. */
export type RowTask =
  | { kind: 'page'; range: PageRange; limits: RowLimits }
  | { kind: 'lines'; range: ChunkRange; limits: RowLimits; path: string }
  | { kind: 'spool'; path: string; mostBytes: number }

/** Where the process asks, and as whom. A token that may change is asked of the service each time. */
export interface ClusterAccess {
  url: string
  user: string
  catalog: string
  auth: { password: string } | 'token' | undefined
}

/** What the service tells its process. */
export type ToProcess =
  | { kind: 'start'; at: ClusterAccess }
  | { kind: 'run'; id: number; request: Omit<StatementRequest, 'signal' | 'onStarted'>; task: RowTask }
  | { kind: 'leave'; id: number }
  | { kind: 'token'; id: number; token: string | null }

/** Kind of the frames in which that comes. */
export const TOLD = 1

/** Kinds of what the process tells: a statement has started, its rows are made or have failed, a token is needed. */
export const FROM_PROCESS = { started: 1, made: 2, failed: 3, token: 4 } as const

const id = count('Number of the statement, or of the token that is asked for.')

/** A message that has an id alone. */
export const OF_ID = object({ id }, 'What it is about.')

const rows = count('Number of rows.')
const more = flag('Whether rows follow.')
const columns = optional(listOf(text('Its name.'), 'Names of the columns, where no row has them.'))

const column: Schema<GivenColumn> = recursive(
  () => object({ name: text('Its name.'), type }, 'A column.'),
  'A column, or a field.',
)
const type: Schema<GivenType> = recursive(
  () =>
    either<GivenType>(
      [
        text('A scalar, as DuckDB names it.') as Schema<GivenType>,
        object(
          { decimal: pairOf(count('Digits.'), count('Digits after the point.'), 'Digits.') },
          'A DECIMAL.',
        ),
        object({ list: type }, 'A list.'),
        object({ struct: listOf(column, 'Fields.') }, 'A STRUCT.'),
        object({ map: type }, 'A MAP.'),
      ],
      'A type.',
    ),
  'A type.',
)

/** Schemas of outcomes, by the kinds of tasks; the rows of a page follow as bytes. */
export const MADE = {
  page: object({ id, made: object({ rows, more, columns }, 'A page.') }, 'A page.'),
  lines: object({ id, made: object({ rows, more, columns }, 'Lines.') }, 'Lines in a file.'),
  spool: object(
    {
      id,
      made: object(
        { columns: listOf(column, 'Its columns.'), lineBytes: count('Most bytes of a line.') },
        'Rows.',
      ),
    },
    'Rows to be exported, in a file.',
  ),
} satisfies Record<RowTask['kind'], Schema<unknown>>

/** A page, lines, or rows to be exported. */
export type TaskResult<Kind extends RowTask['kind']> = Kind extends 'spool'
  ? Required<Omit<GivenRows, 'path'>>
  : { rows: number; more: boolean; columns?: string[] }

const KINDS = [
  'query',
  'memory',
  'timeout',
  'row-bytes',
  'file-bytes',
  'format',
  'no-connection',
  'building',
  'unbuilt',
  'view',
  'snapshot',
  'disk',
  'killed',
  'cancelled',
  'assertion',
  'relation',
  'interrupted',
  'fault',
] as const satisfies readonly FailureKind[]

const failure = object(
  {
    kind: choice(KINDS, 'What failed.'),
    message: text('For the caller.'),
    offset: optional(count('Byte offset in the statement.')),
    cause: text('For the service.'),
  },
  'Why it has failed.',
)

/** A failure between processes, which pass no classes. */
export type RowFailure = FromJson<Infer<typeof failure>>

/** A statement that has failed. */
export const FAILED = object({ id, failure: failure as Schema<RowFailure> }, 'A statement that has failed.')
