import type { Command } from 'commander'
import type { Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { readSetting } from '../settings/config.js'
import { CATALOGUE_SETTING, PLACE_SETTINGS, SANDBOX_SETTING } from '../settings/flags.js'
import { wordsOf } from '../settings/words.js'
import { checkFolderToSeal } from '../snapshots/check-folder.js'
import { type DataFolder, openDataFolder } from '../snapshots/data-folder.js'
import { packageRefusal } from '../snapshots/problems.js'
import { pruneSnapshots } from '../snapshots/pruning.js'
import { sealFolder } from '../snapshots/seal-folder.js'
import { requireRunningAssessment } from '../store/assessments.js'
import { checkedAt, newestSnapshot, recordSealed } from '../store/newest-snapshots.js'
import { findProject, projectsInOrder, requireProject } from '../store/projects.js'
import {
  addCommand,
  addGroup,
  type CommonOptions,
  chosenCatalogue,
  settingOption,
  withSnapshots,
} from './command.js'
import { interruptible } from './interrupt.js'
import {
  counted,
  instantOrNull,
  manifestAsJson,
  print,
  printList,
  reportLeftOut,
  reportSealed,
  reportWarnings,
} from './print.js'
import { snapshotAcceptCommand } from './snapshot-accept.js'

/** `foldgate snapshot …` */
export function snapshotCommands(program: Command): void {
  const group = addGroup(program, 'snapshot', 'Manage sealed snapshots: what queries read.')
  addCommand(
    group,
    'seal <assessment> <folder>',
    'Seal the tables of a folder in a running assessment; print the id.',
  )
    .addOption(settingOption(CATALOGUE_SETTING))
    .addHelpText(
      'after',
      '\nThe folder holds one CSV or Parquet file per table. Queries read the new snapshot at once.',
    )
    .action((assessment: string, folder: string, options: CommonOptions) => seal(assessment, folder, options))
  addCommand(group, 'check <folder>', 'Check a folder as sealing and importing would, without either.', [
    settingOption(PLACE_SETTINGS.data),
    settingOption(CATALOGUE_SETTING),
  ])
    .addHelpText(
      'after',
      '\nThe folder holds the tables of one project, or a package to import. Scratch files are in the data folder if one\n' +
        'is named, and otherwise in the temporary folder of the system.',
    )
    .action(check)
  addCommand(group, 'list <project>', 'List the snapshots of the project with this UUID, newest first.')
    .addHelpText(
      'after',
      '\nThe newest one was sealed, or its tables were found to be unchanged, at the time CHECKED.',
    )
    .action((id: string, options: CommonOptions) =>
      withSnapshots(options, async (store, folder) => {
        const project = await requireProject(store, id)
        const manifests = await folder.shared.snapshots.manifests(project.projectId)
        const words = wordsOf(folder.catalogue)
        const newest = await newestSnapshot(store, project.projectId)
        const checked = { checkedAt: instantOrNull(await checkedAt(store, project.projectId)) }
        const items = manifests.map(manifest => ({
          ...manifestAsJson(manifest, project.name, words),
          ...(manifest.snapshotId === newest ? checked : { checkedAt: null }),
        }))
        await printList(options, items, {
          ID: each => each.id,
          ...(words.hasAssessments ? { ASSESSMENT: each => each.assessmentId ?? '-' } : {}),
          SEALED: each => each.sealedAt,
          CHECKED: each => each.checkedAt ?? '-',
          TABLES: each => String(each.tables.length),
          ROWS: each => String(each.tables.reduce((rows, table) => rows + table.rows, 0)),
          WARNINGS: each => String(each.warnings.length),
        })
      }),
    )
  addCommand(
    group,
    'verify [project]',
    'Compare sealed snapshots with the digests of their files; of all projects by default.',
  ).action((id: string | undefined, options: CommonOptions) => verify(id, options))
  snapshotAcceptCommand(group)
  addCommand(group, 'prune <project>', 'Remove all but the newest snapshot of the project with this UUID.')
    .addHelpText('after', '\nCalls no longer find them. Their files are deleted a day later.')
    .action((id: string, options: CommonOptions) =>
      withSnapshots(options, async (store, folder) => {
        const { projectId } = await requireProject(store, id)
        const removed = await pruneSnapshots(store, folder.shared.snapshots, projectId, 1)
        print(
          options,
          { projectId, removed },
          removed.length === 0 ? 'Nothing to remove' : removed.join('\n'),
        )
      }),
    )
}

function seal(assessmentId: string, source: string, options: CommonOptions): Promise<void> {
  return withSnapshots(options, async (store, folder) => {
    const assessment = await requireRunningAssessment(store, assessmentId)
    const { projectId, id } = assessment
    const { name } = await requireProject(store, projectId)
    const before = await newestSnapshot(store, projectId)
    const sealed = await interruptible(signal =>
      sealFolder(folder, { projectId, assessmentId: id, source, signal }, async ({ manifest }) => {
        await recordSealed(store, manifest, before)
        return (await findProject(store, projectId)) !== null
      }),
    )
    reportSealed(options, { ...sealed, name }, wordsOf(folder.catalogue))
  })
}

async function check(folder: string, options: CommonOptions): Promise<void> {
  const data = options.data ?? process.env[PLACE_SETTINGS.data.variable]
  const scratch = data ? (await openDataFolder(data)).scratch : null
  const catalogue = await chosenCatalogue(options)
  const { problems, ...summary } = await interruptible(
    signal =>
      checkFolderToSeal(folder, {
        catalogue,
        scratch,
        sandbox: readSetting(SANDBOX_SETTING, undefined) ?? 'auto',
        signal,
      }),
    'the check is incomplete',
  )
  if (problems.length > 0) throw packageRefusal(`The tables of ${quoted(folder)} cannot be sealed:`, problems)
  reportWarnings(summary.warnings)
  reportLeftOut(summary.leftOut)
  const of = summary.projects === null ? '' : ` of ${counted(summary.projects.length, 'project', 'projects')}`
  const isNone = summary.projects?.length === 0
  print(
    options,
    summary,
    isNone ? 'No project is computed: no table was checked' : `The tables${of} can be sealed`,
  )
}

function verify(id: string | undefined, options: CommonOptions): Promise<void> {
  return withSnapshots(options, async (store, folder) => {
    const projects = id === undefined ? projectsInOrder(store) : [await requireProject(store, id)]
    const found: Verified[] = []
    await interruptible(async signal => {
      for await (const { projectId } of projects)
        found.push(...(await verifyProject(store, folder, projectId, signal)))
    }, 'the check is incomplete')
    const damaged = found.filter(({ problems }) => problems.length > 0)
    if (damaged.length > 0) {
      const lines = damaged.map(
        each => `  ${each.id} of the project ${each.projectId}: ${each.problems.join('; ')}`,
      )
      throw new Refusal(
        `Snapshots are damaged: restore them from a backup, or seal again:\n${lines.join('\n')}`,
      )
    }
    print(options, found, `${counted(found.length, 'snapshot is', 'snapshots are')} as sealed`)
  })
}

interface Verified {
  id: string
  projectId: string
  problems: string[]
}

/** Verifies the snapshots of a project, and reports the newest one as missing when it is not there. */
async function verifyProject(
  store: Store,
  folder: DataFolder,
  projectId: string,
  signal: AbortSignal,
): Promise<Verified[]> {
  const { snapshots } = folder.shared
  const known = await newestSnapshot(store, projectId)
  const ids = await snapshots.list(projectId, signal)
  const found: Verified[] = []
  if (known !== null && !ids.includes(known))
    found.push({ id: known, projectId, problems: ['it is missing'] })
  for (const snapshotId of ids) {
    const problems = await snapshots.verify(projectId, snapshotId, signal)
    const wasPruned = problems.length > 0 && !(await snapshots.list(projectId, signal)).includes(snapshotId)
    if (!wasPruned) found.push({ id: snapshotId, projectId, problems })
  }
  return found
}
