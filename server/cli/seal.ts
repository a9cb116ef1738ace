import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { SealRequest } from 'foldgate/sealing'
import type { PostgresTables, WithTables } from '../database/driver.js'
import type { Store } from '../database/store.js'
import { installed } from '../input/installed.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { readSetting } from '../settings/config.js'
import { CATALOGUE_SETTING, FROM_SETTING } from '../settings/flags.js'
import { wordsOf } from '../settings/words.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { sealFolder, sealTables } from '../snapshots/seal-folder.js'
import { findRunningAssessment, recordAssessed } from '../store/assessments.js'
import { newestSnapshot } from '../store/newest-snapshots.js'
import { checkProjectId, findProject } from '../store/projects.js'
import { addCommand, type CommonOptions, settingOption, withSnapshots } from './command.js'
import { interruptible } from './interrupt.js'
import { reportSealed } from './print.js'

interface SealOptions extends CommonOptions {
  from?: string
  schema: string
  query?: ReadonlyMap<string, string>
}

/** `foldgate seal` */
export function sealCommand(program: Command): void {
  addCommand(
    program,
    'seal <project> [folder]',
    'Seal the tables of a folder or a database for the project with this UUID; print the id of the snapshot.',
  )
    .addOption(settingOption(CATALOGUE_SETTING))
    .addOption(settingOption(FROM_SETTING))
    .option('--schema <name>', 'Schema of the tables in that database.', 'public')
    .option(
      '--query <table=statement>',
      'SELECT statement with the rows of a table, instead of the table of its name. May be repeated.',
      addQuery,
    )
    .addHelpText(
      'after',
      '\nThe folder holds one CSV or Parquet file per table of the catalogue. Once the command has ended, queries read\n' +
        'the new snapshot. When a table has problems, all of them are listed and nothing is sealed. When nothing has\n' +
        'changed since the newest snapshot, the command says so, and prints the id of that one.',
    )
    .action((project: string, folder: string | undefined, options: SealOptions, command: Command) => {
      const from = whereFrom(folder, options, command)
      return withSnapshots(options, async (store, data) => {
        const { projectId, name } = await projectToSeal(store, project)
        const words = wordsOf(data.catalogue)
        await refuseRunning(store, projectId)
        const before = await newestSnapshot(store, projectId)
        const startedAt = store.clock.now()
        const assessmentId = randomUUID()
        const request = { projectId, ...(words.hasAssessments ? { assessmentId } : {}) }
        const sealed = await interruptible(
          signal =>
            seal(data, from, { ...request, signal }, sealed =>
              recordAssessed(store, { ...sealed, before, id: assessmentId, startedAt }, words),
            ),
          'nothing was sealed',
        )
        reportSealed(options, { ...sealed, name }, words)
      })
    })
}

/** Adds `table=statement` to the statements before it. */
function addQuery(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const [, table, statement] = /^([^=\s]+)=(.*\S.*)$/s.exec(text) ?? []
  if (table === undefined || statement === undefined)
    throw new Refusal(
      `--query cannot be ${quoted(text)}: give the name of a table, =, and a SELECT statement`,
    )
  if (before.has(table)) throw new Refusal(`--query is given twice for the table ${quoted(table)}`)
  return new Map([...before, [table, statement]])
}

/** Says where the tables are. Ends the command unless they are in one place. */
function whereFrom(
  folder: string | undefined,
  { from, schema, query: queries = new Map() }: SealOptions,
  command: Command,
): string | PostgresTables {
  if (folder !== undefined) {
    if (from === undefined && queries.size === 0) return folder
    command.error('error: tables are sealed from a folder, or with --from from a database: name one of both')
  }
  const url = readSetting(FROM_SETTING, from)
  if (url === null)
    command.error('error: there is nothing to seal: name the folder of the tables, or a database with --from')
  return { url, schema, queries }
}

async function seal(
  data: DataFolder,
  from: string | PostgresTables,
  request: Pick<SealRequest, 'projectId' | 'assessmentId'> & { signal: AbortSignal },
  record: Parameters<typeof sealTables>[3],
): ReturnType<typeof sealTables> {
  if (typeof from === 'string') return sealFolder(data, { ...request, source: from }, record)
  const refusing = { what: 'The tables of the database', advice: 'correct the rows' }
  const { withTables } = await installed<{ withTables: WithTables }>('--from', 'foldgate-postgres')
  return withTables(data.catalogue, from, tables =>
    sealTables(data, { ...request, tables }, refusing, record),
  )
}

async function projectToSeal(store: Store, text: string): Promise<{ projectId: string; name: string }> {
  const id = checkProjectId(text)
  const project = await findProject(store, id)
  if (project) return project
  throw new Refusal(
    `There is no project ${id}: add it with "foldgate project add --id ${id}", or see "foldgate project list"`,
  )
}

/** What runs in an assessment ends in it: its snapshot must not be followed by an older one. */
async function refuseRunning(store: Store, projectId: string): Promise<void> {
  const running = await findRunningAssessment(store, projectId)
  if (running)
    throw new Refusal(
      `The assessment ${running.id} of this project is running: seal in it with "foldgate snapshot seal", or end it ` +
        'first with "foldgate assessment complete" or "foldgate assessment fail"',
    )
}
