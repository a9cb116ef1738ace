import type { Command } from 'commander'
import {
  addCommand,
  CATALOGUE_SETTING,
  type CommonOptions,
  counted,
  type DataFolder,
  interruptible,
  parseSetting,
  print,
  projectsInOrder,
  quoted,
  Refusal,
  requireProject,
  type Store,
  settingOption,
  table,
  whole,
  withSnapshots,
} from 'foldgate-server/parts'
import {
  type ComparedTable,
  compareSnapshots,
  type SnapshotDifference,
  type SnapshotPair,
  type TableChoice,
} from './compare-snapshots.js'
import type { RowValues, ShownRows, TableDifference } from './difference.js'

type DiffOptions = CommonOptions & { table?: string; limit?: string }

const ROWS = whole(1, 1000)
const DEFAULT_ROWS = 20
const SNAPSHOT_ID = /^\d{6}-[0-9a-f-]{36}$/
/** Values that text shows as they are; NULL is not a value. */
const PLAIN = /^(?!NULL$)[\p{L}\p{N}.:_+-]+$/u

/** `foldgate snapshot diff` */
export function snapshotDiffCommand(group: Command): void {
  addCommand(
    group,
    'diff <snapshot-or-project> [snapshot]',
    'Show what differs between two snapshots of a project.',
  )
    .option('--table <name>', 'Only this table, and which rows differ.')
    .option(
      `--limit <${ROWS.placeholder}>`,
      `Most rows of each kind to show of the table (default: ${DEFAULT_ROWS}).`,
    )
    .addOption(settingOption(CATALOGUE_SETTING))
    .addHelpText(
      'after',
      '\nName two snapshots, the older one first, or a project, of which the newest two are compared.',
    )
    .action((first: string, second: string | undefined, options: DiffOptions) =>
      withSnapshots(options, async (store, folder) => {
        const choice = checkChoice(options)
        const pair = await findPair(store, folder, first, second)
        const difference = await interruptible(
          signal => compareSnapshots(folder, pair, { choice, signal }),
          'the comparison is incomplete',
        )
        print(options, difference, [heading(difference), ...body(difference, choice)].join('\n'))
      }),
    )
}

function checkChoice({ table: name, limit }: DiffOptions): TableChoice {
  if (name === undefined && limit !== undefined)
    throw new Refusal('--limit needs --table: name the table to show')
  const rows = limit === undefined ? DEFAULT_ROWS : parseSetting('--limit', ROWS, limit)
  return name === undefined ? null : { table: name, limit: rows }
}

/** The two snapshots that are named, or the newest two of the project that is named. */
async function findPair(
  store: Store,
  folder: DataFolder,
  first: string,
  second?: string,
): Promise<SnapshotPair> {
  const { snapshots } = folder.shared
  if (second === undefined) {
    if (SNAPSHOT_ID.test(first))
      throw new Refusal('Name a second snapshot to compare with, or a project instead')
    const { projectId } = await requireProject(store, first)
    const [to, from] = await snapshots.manifests(projectId)
    if (!from || !to)
      throw new Refusal(
        `The project ${projectId} has ${to ? 'only one snapshot' : 'no snapshot'}: a comparison needs two`,
      )
    return { projectId, from: from.snapshotId, to: to.snapshotId }
  }
  const ids = [first, second]
  const wrong = ids.find(id => !SNAPSHOT_ID.test(id))
  if (wrong !== undefined)
    throw new Refusal(`${quoted(wrong)} is not the id of a snapshot: see "foldgate snapshot list PROJECT"`)
  if (first === second) throw new Refusal('Both snapshots are the same: name two')
  const { signal } = new AbortController()
  const projects = new Map<string, string>()
  for await (const { projectId } of projectsInOrder(store)) {
    for (const id of await snapshots.list(projectId, signal))
      if (ids.includes(id)) projects.set(id, projectId)
    if (projects.size === ids.length) break
  }
  const [from, to] = ids.map(id => projects.get(id))
  const missing = from === undefined ? first : to === undefined ? second : null
  if (missing !== null || from === undefined)
    throw new Refusal(`There is no snapshot ${missing}: see "foldgate snapshot list PROJECT"`)
  if (from !== to)
    throw new Refusal(
      `The snapshots are of two projects, ${from} and ${to}: name two snapshots of one project`,
    )
  return { projectId: from, from: first, to: second }
}

function heading({ from, to }: SnapshotDifference): string {
  return `From ${from.id}, sealed ${from.sealedAt}\nto   ${to.id}, sealed ${to.sealedAt}\n`
}

function body({ tables }: SnapshotDifference, choice: TableChoice): string[] {
  const differing = tables.filter(({ state }) => state !== 'same')
  const same = tables.length - differing.length
  const cells = differing.map(each => {
    const { added, removed, changed } = each.rows
    return [each.name, ...[added, removed, changed ?? '-'].map(String), columnsOf(each)]
  })
  const overview = table([['TABLE', 'ADDED', 'REMOVED', 'CHANGED', 'COLUMNS'], ...cells])
  const rows = differing.flatMap(each => (each.shown ? rowsOf(each, each.shown) : []))
  const rest = choice ? rows : [`${counted(same, 'table is', 'tables are')} the same`]
  if (differing.length === 0) return choice ? ['The table is the same'] : rest
  return rest.length === 0 ? [overview] : [overview, '', ...rest]
}

function columnsOf(each: ComparedTable): string {
  if (each.state !== 'different') return `the table was ${each.state}`
  const { added, removed, retyped, changed } = each.columns
  return [
    ...added.map(name => `+${name}`),
    ...removed.map(name => `-${name}`),
    ...retyped.map(({ name, from, to }) => `${name}: ${from} → ${to}`),
    ...changed.map(({ name, rows }) => `${name}: ${rows}`),
  ].join(', ')
}

function rowsOf({ rows, key }: TableDifference, { added, removed, changed }: ShownRows): string[] {
  const shown = [...added, ...removed].reduce((sum, { times }) => sum + times, changed.length)
  const left = rows.added + rows.removed + (rows.changed ?? 0) - shown
  const plain = (sign: string) => (row: ShownRows['added'][number]) =>
    `${sign} ${row.times > 1 ? `${row.times} times ` : ''}${pairs(row.values)}`
  return [
    key ? `Rows are matched by ${key.join(', ')}:` : 'Rows have no key, so whole rows are compared:',
    ...added.map(plain('+')),
    ...removed.map(plain('-')),
    ...changed.flatMap(row => [
      `~ ${pairs(row.key)}`,
      ...row.columns.map(({ name, from, to }) => `    ${name}: ${shownValue(from)} → ${shownValue(to)}`),
    ]),
    ...(left > 0 ? [`and ${counted(left, 'row', 'rows')} more`] : []),
  ]
}

function pairs(values: RowValues): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${shownValue(value)}`)
    .join(' ')
}

function shownValue(value: string | null): string {
  if (value === null) return 'NULL'
  return PLAIN.test(value) && value.length <= 80 ? value : quoted(value)
}
