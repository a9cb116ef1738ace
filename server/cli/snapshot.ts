import type { Command } from 'commander'
import { directorySnapshots, type SnapshotManifest } from 'foldgate'
import { filesOf } from '../import/files.js'
import { PROJECT_COLUMN } from '../import/tables.js'
import { sealProblems, withSealer } from '../sealing.js'
import { requireRunningAssessment } from '../store/assessments.js'
import { quoted } from '../store/names.js'
import { requireProject } from '../store/projects.js'
import { Refusal } from '../store/refusal.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { interruptible } from './interrupt.js'
import { print, printList } from './output.js'

/** `foldgate snapshot …` */
export function snapshotCommands(program: Command): void {
  const group = addGroup(program, 'snapshot', 'Manage sealed snapshots: what queries read.')
  addCommand(group, 'seal <assessment> <folder>', 'Seal the tables of a folder in a running assessment; print the id.')
    .addHelpText(
      'after',
      '\nThe folder holds one CSV or Parquet file per table. Queries read the new snapshot at once.',
    )
    .action((assessment: string, folder: string, options: CommonOptions) => seal(assessment, folder, options))
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
          },
        )
      }),
  )
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
      const problems = sealProblems(cause)
      if (problems === null) throw cause
      throw new Refusal(`The tables of ${quoted(source)} cannot be sealed, and nothing was:\n${problems}`, { cause })
    })
    if (leftOut.length > 0) process.stderr.write(`Not a table, left out: ${leftOut.map(quoted).join(', ')}\n`)
    print(options, { ...asJson(manifest, name), leftOut }, manifest.snapshotId)
  })
}

function asJson(manifest: SnapshotManifest, project: string) {
  const { snapshotId: id, projectId, assessmentId, sealedAt, tables } = manifest
  const counts = tables.map(({ name, rows }) => ({ name, rows }))
  return { id, name: `${project}, ${sealedAt}`, projectId, assessmentId, sealedAt, tables: counts }
}
