import type { Service } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
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
export function instructionsOf(
  service: Service,
  methods: readonly MethodName[],
  hasQueries: boolean,
): string {
  const told = instructionsFor(service, methods)
  return hasQueries ? `${told} ${QUERIES}` : told
}

function instructionsFor(service: Service, methods: readonly MethodName[]): string {
  if (methods.length < METHOD_NAMES.length) return instructionsForSome(service, methods)
  const { subject, view } = service.core.words
  return (
    `${subject}. List the projects with projects_list, and read the catalogue and the worked examples: they are ` +
    'resources, and projects_describe without "relations" has them too. Before you use relations, describe them ' +
    'together, with "relations" of projects_describe: columns have meanings, units, values and ' +
    `references, and notes warn of joins that multiply rows. Then query with projects_query: one read-only SELECT over ` +
    `the relations of the catalogue, for one ${view}. ${dialectOf(service)}${valuesOf(service)} ${DRY_RUN} ${READING} ` +
    `${SNAPSHOT} ${PINS} ${KEPT}`
  )
}

/** What agents are told at first whose key can call some of the methods only. */
function instructionsForSome(service: Service, methods: readonly MethodName[]): string {
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
      `A query is one read-only SELECT over the relations of the catalogue, for one ${view}. ${dialectOf(service)}` +
        valuesOf(service),
    can('projects/query') && `${DRY_RUN} ${READING}`,
    methods.some(method => method !== 'projects/list') && SNAPSHOT,
    queries && PINS,
    queries && can('projects/describe') && KEPT,
  ]
    .filter(Boolean)
    .join(' ')
}

const DRY_RUN = 'When you are unsure of a statement, send it with "dryRun": true first.'
const QUERIES =
  'Tools whose names begin with queries_ answer one question each, with values that you choose: where one fits, prefer ' +
  'it to a statement of your own, for it counts as the service means it.'
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

/** The description of a tool: that of its method, with additions for agents. */
export function descriptionOf({ name, description }: Method, service: Service): string {
  // Agents get rows as arrays.
  return asTools(description.replace(' as JSON objects', '') + (moreOf(service)[name] ?? ''))
}

/** What the tools do beyond their methods, by method. */
function moreOf(service: Service): Readonly<Record<string, string>> {
  return {
    'projects/describe':
      ` With "relations" (at most ${MOST_RELATIONS} names), returns those alone: their columns with meanings, units, ` +
      'values and references, their keys, and notes on what goes wrong easily.',
    'projects/query':
      ` ${dialectOf(service)} The result is { columns: [{ name, type }], rows: [[value, ...]], nextCursor }: the values of ` +
      `a row are in the order of the columns.${bindingOf(service)} With "dryRun": true, the statement is checked and not ` +
      'run: the result has its columns, and the relations that it reads. With "include": ["total"], it has the number ' +
      `of all rows as "total". A page ends at ${PAGE_BYTES / 1024} KiB of rows, counted with a name beside each value, and ` +
      'its nextCursor continues with the next row; a row that is larger has a page of its own.',
    'projects/export': ` ${dialectOf(service)}${bindingOf(service)}`,
  }
}

/** That values are sent, if the default engine takes any. */
function valuesOf({ core }: Service): string {
  if (!core.engines.takesParameters) return ''
  return ' Send values, above all those that users give you, in "parameters" rather than in the SQL.'
}

/** How to send values, if the default engine takes any. */
function bindingOf({ core }: Service): string {
  if (!core.engines.takesParameters) return ''
  const example = JSON.stringify(core.words.bound)
  return (
    ' Write $name in place of each value that the statement compares with, and send the value in "parameters", such ' +
    `as ${example}: values need no quotes there, and none is read as SQL.`
  )
}

function dialectOf({ core }: Service): string {
  const [first, ...others] = core.engines.dialects
  if (others.length === 0) return `The dialect is ${first}'s SQL.`
  return (
    `The dialect is ${first}'s SQL or, in some projects, ${others.map(other => `${other}'s`).join(' or ')}: ` +
    '"dialect" in the second text of an answer names that of its project, and the worked examples of ' +
    'projects_describe are in it.'
  )
}
