import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import { directorySnapshots, SealError, type SnapshotManifest, verifySnapshot } from 'foldgate'
import { PLACE_SETTINGS } from '../config.js'
import { checkFolderToSeal } from '../import/check.js'
import { filesOf } from '../import/files.js'
import { ofTable, type PackageProblem, problemLines } from '../import/problems.js'
import { PROJECT_COLUMN } from '../import/tables.js'
import { withSealer } from '../sealing.js'
import { requireRunningAssessment } from '../store/assessments.js'
import { type DataFolder, openDataFolder } from '../store/data-folder.js'
import { quoted } from '../store/names.js'
import { newestSnapshot, setNewestSnapshot } from '../store/newest-snapshots.js'
import { listProjects, requireProject } from '../store/projects.js'
import { Refusal } from '../store/refusal.js'
import { markSharedFolder } from '../store/shared-folder.js'
import type { Store } from '../store/store.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { interruptible } from './interrupt.js'
import { print, printList, reportWarnings } from './output.js'

/** `foldgate snapshot …` */
export function snapshotCommands(program: Command): void {
  const group = addGroup(program, 'snapshot', 'Manage sealed snapshots: what queries read.')
  addCommand(group, 'seal <assessment> <folder>', 'Seal the tables of a folder in a running assessment; print the id.')
    .addHelpText(
      'after',
      '\nThe folder holds one CSV or Parquet file per table. Queries read the new snapshot at once.',
    )
    .action((assessment: string, folder: string, options: CommonOptions) => seal(assessment, folder, options))
  addCommand(group, 'check <folder>', 'Check what a folder holds as seal and import do, and write nothing.')
    .addHelpText(
      'after',
      '\nThe folder holds the tables of one project, or a package to import. Scratch files are in the data folder if one\n' +
        'is named, and else in the temporary folder of the system.',
    )
    .action(check)
  addCommand(group, 'list <project>', 'List the snapshots of the project with this UUID, newest first.').action(
    (id: string, options: CommonOptions) =>
      withStore(options, async (store, folder) => {
        const project = await requireProject(store, id)
        const manifests = await directorySnapshots(folder.snapshots).manifests(project.projectId)
        printList(
          options,
          manifests.map(manifest => asJson(manifest, project.name)),
          {
            ID: each => each.id,
            ASSESSMENT: each => each.assessmentId,
            SEALED: each => each.sealedAt,
            TABLES: each => String(each.tables.length),
            ROWS: each => String(each.tables.reduce((rows, table) => rows + table.rows, 0)),
            WARNINGS: each => String(each.warnings.length),
          },
        )
      }),
  )
  addCommand(
    group,
    'verify [project]',
    'Compare sealed snapshots with the digests of their files; of all projects by default.',
  ).action((id: string | undefined, options: CommonOptions) => verify(id, options))
  addCommand(
    group,
    'accept [project]',
    'Make what is in the shared folder right: after a snapshot was taken away, or an older backup restored.',
  ).action((id: string | undefined, options: CommonOptions) => accept(id, options))
  addCommand(group, 'prune <project>', 'Remove all but the newest snapshot of the project with this UUID.').action(
    (id: string, options: CommonOptions) =>
      withStore(options, async (store, folder) => {
        const { projectId } = await requireProject(store, id)
        const removed = await directorySnapshots(folder.snapshots).prune(projectId, 1)
        print(options, { projectId, removed }, removed.length === 0 ? 'Nothing to remove' : removed.join('\n'))
      }),
  )
}

function seal(assessmentId: string, source: string, options: CommonOptions): Promise<void> {
  return withStore(options, async (store, folder) => {
    const assessment = await requireRunningAssessment(store, assessmentId)
    const { name } = await requireProject(store, assessment.projectId)
    await filesOf(source)
    const snapshots = directorySnapshots(folder.snapshots)
    const { manifest, leftOut } = await withSealer(folder, snapshots, async startSealer =>
      interruptible(async signal => {
        const sealer = await startSealer()
        signal.throwIfAborted()
        return sealer.seal({
          projectId: assessment.projectId,
          assessmentId: assessment.id,
          source,
          partition: { column: PROJECT_COLUMN },
          signal,
        })
      }),
    ).catch(cause => {
      if (!(cause instanceof SealError)) throw cause
      throw refusalOf('cannot be sealed, and nothing was', source, cause.problems.map(ofTable))
    })
    await setNewestSnapshot(store, manifest.projectId, manifest.snapshotId)
    reportWarnings((manifest.warnings ?? []).map(ofTable))
    if (leftOut.length > 0) process.stderr.write(`Not a table, left out: ${leftOut.map(quoted).join(', ')}\n`)
    print(options, { ...asJson(manifest, name), leftOut }, manifest.snapshotId)
  })
}

async function check(folder: string, options: CommonOptions): Promise<void> {
  const data = options.data ?? process.env[PLACE_SETTINGS.data.variable]
  const scratch = data ? (await openDataFolder(data)).scratch : tmpdir()
  const { problems, ...summary } = await interruptible(signal => checkFolderToSeal(folder, { scratch, signal }))
  if (problems.length > 0) throw refusalOf('cannot be sealed', folder, problems)
  reportWarnings(summary.warnings)
  const what = summary.projects === null ? 'The tables' : `The tables of ${summary.projects.length} projects`
  print(options, summary, `${what} can be sealed`)
}

function verify(id: string | undefined, options: CommonOptions): Promise<void> {
  return withStore(options, async (store, folder) => {
    const snapshots = directorySnapshots(folder.snapshots)
    const projects = id === undefined ? await listProjects(store) : [await requireProject(store, id)]
    const { signal } = new AbortController()
    const found: { id: string; projectId: string; problems: string[] }[] = []
    for (const { projectId } of projects)
      for (const snapshotId of await snapshots.list(projectId, signal)) {
        const lease = await snapshots.open(projectId, snapshotId, signal)
        if (!lease) continue // pruned meanwhile
        const problems = await verifySnapshot(lease.folder).finally(lease.release)
        found.push({ id: snapshotId, projectId, problems })
      }
    const damaged = found.filter(({ problems }) => problems.length > 0)
    if (damaged.length > 0) {
      const lines = damaged.map(each => `  ${each.id} of the project ${each.projectId}: ${each.problems.join('; ')}`)
      throw new Refusal(`Snapshots are damaged: restore them from a backup, or seal again:\n${lines.join('\n')}`)
    }
    print(options, found, `${found.length} snapshots are as they were sealed`)
  })
}

function accept(id: string | undefined, options: CommonOptions): Promise<void> {
  const work = async (store: Store, folder: DataFolder) => {
    await markSharedFolder(store, folder)
    const snapshots = directorySnapshots(folder.snapshots)
    const projects = id === undefined ? await listProjects(store) : [await requireProject(store, id)]
    const changed: { id: string | null; projectId: string }[] = []
    for (const { projectId } of projects) {
      const [newest = null] = await snapshots.list(projectId, new AbortController().signal)
      if (newest === (await newestSnapshot(store, projectId))) continue
      await setNewestSnapshot(store, projectId, newest)
      changed.push({ id: newest, projectId })
    }
    const lines = changed.map(each => `${each.projectId}: ${each.id ?? 'no snapshot'}`)
    print(options, changed, lines.join('\n') || 'Every newest snapshot was known already')
  }
  return withStore(options, work, { acceptsAnyFolder: true })
}

function refusalOf(what: string, folder: string, problems: readonly PackageProblem[]): Refusal {
  const lines = [`The tables of ${quoted(folder)} ${what}:`, ...problemLines(problems)]
  return new Refusal(`${lines.join('\n')}\nNothing was sealed: correct the files and run the same command again`)
}

function asJson(manifest: SnapshotManifest, project: string) {
  const { snapshotId: id, projectId, assessmentId, sealedAt, tables, warnings = [] } = manifest
  const counts = tables.map(({ name, rows }) => ({ name, rows }))
  return { id, name: `${project}, ${sealedAt}`, projectId, assessmentId, sealedAt, tables: counts, warnings }
}
