import type { Service } from '../methods/calls.js'
import { METHOD_NAMES, type MethodName } from '../model.js'

/**
 * Most bytes of rows per page, since models read little, and some clients limit the size of a message to 1
 * MiB. Rows are sent as text, whose escapes at most double them.
 */
export const PAGE_BYTES = 256 * 1024

/** Most relations that a tool describes at once. */
export const MOST_RELATIONS = 20

/** Names methods as agents call them: MCP clients accept no slash in the name of a tool. */
export function asTools(text: string): string {
  return text.replace(/\bprojects\/(?=(list|describe|query|export)\b)/g, 'projects_')
}

/** What agents are told at first. */
export function instructionsOf(service: Service, methods: readonly MethodName[]): string {
  if (methods.length < METHOD_NAMES.length) return instructionsFor(service, methods)
  const { subject, view } = service.core.words
  return (
    `${subject}. List the projects with projects_list, and read the catalogue and the worked examples: they are ` +
    'resources, and projects_describe without "relations" has them too. Before you use relations, describe them ' +
    'together, with "relations" of projects_describe: columns have meanings, units, values and ' +
    `references, and notes warn of joins that multiply rows. Then query with projects_query: one read-only SELECT over ` +
    `the relations of the catalogue, for one ${view}. ${dialectOf(service)} ${READING} ${SNAPSHOT} ${PINS} ${KEPT}`
  )
}

/** What agents are told at first whose key can call some of the methods only. */
function instructionsFor(service: Service, methods: readonly MethodName[]): string {
  const { subject, view } = service.core.words
  const can = (method: MethodName) => methods.includes(method)
  const queries = can('projects/query') || can('projects/export')
  return [
    `${subject}.`,
    can('projects/list') && 'List the projects with projects_list.',
    can('projects/describe') &&
      'Read the catalogue and the worked examples, which are resources, and describe relations together with ' +
        '"relations" of projects_describe before you use them.',
    queries &&
      `A query is one read-only SELECT over the relations of the catalogue, for one ${view}. ${dialectOf(service)}`,
    can('projects/query') && READING,
    methods.some(method => method !== 'projects/list') && SNAPSHOT,
    queries && PINS,
    queries && can('projects/describe') && KEPT,
  ]
    .filter(Boolean)
    .join(' ')
}

const READING =
  'Aggregate in SQL rather than reading many rows; to read on after a page with a nextCursor, send that cursor. A ' +
  'refused query says what to write instead.'
const SNAPSHOT =
  'A second text of an answer says which snapshot was read, when it was sealed (which is not the date of its ' +
  'figures), which one came before, and its warnings: tell users of those that concern their question.'
const PINS =
  'Without "snapshot", a call reads the latest. With the id of another one, it reads that: send the same id for the ' +
  'same numbers again, or run one statement with each of two ids to compare them.'
const KEPT = 'projects_describe with "include": ["snapshots"] lists the ids that are kept.'

/** What the tools do beyond their methods, by method. */
export function moreOf(service: Service): Readonly<Record<string, string>> {
  return {
    'projects/describe':
      ` With "relations" (at most ${MOST_RELATIONS} names), returns those alone: their columns with meanings, units, ` +
      'values and references, their keys, and notes on what goes wrong easily.',
    'projects/query':
      ` ${dialectOf(service)} A page ends at ${PAGE_BYTES / 1024} KiB of rows, with a nextCursor that continues with the next row; ` +
      'a row that is larger has a page of its own.',
    'projects/export': ` ${dialectOf(service)}`,
  }
}

function dialectOf({ core }: Service): string {
  return `The dialect is ${core.engines.dialect}'s SQL.`
}
