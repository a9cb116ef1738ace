import type { Command } from 'commander'
import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { Refusal } from '../input/refusal.js'
import { wordsOf } from '../settings/words.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import {
  type Assessment,
  endAssessment,
  listAssessments,
  requireRunningAssessment,
  startAssessment,
} from '../store/assessments.js'
import { type Project, requireProject } from '../store/projects.js'
import {
  addCommand,
  addGroup,
  type CommonOptions,
  chosenCatalogue,
  withSnapshots,
  withStore,
} from './command.js'
import { instantOrNull, print, printList } from './print.js'

/** `foldgate assessment …` */
export function assessmentCommands(program: Command): void {
  const group = addGroup(program, 'assessment', 'Manage assessments: a project has at most one running.')
  addCommand(
    group,
    'start <project>',
    'Start an assessment of the project with this UUID and print its id.',
  ).action((project: string, options: CommonOptions) =>
    withStore(options, async store => {
      const assessment = await startAssessment(store, project)
      print(options, asJson(assessment, await requireProject(store, assessment.projectId)), assessment.id)
    }),
  )
  addCommand(
    group,
    'complete <id>',
    'Mark a running assessment as completed, and so its project as computed.',
  )
    .option(
      '--without-snapshot',
      'Even if it has sealed no snapshot: queries then read the previous one, if there is one.',
    )
    .action((id: string, options: CommonOptions & { withoutSnapshot?: boolean }) => {
      if (options.withoutSnapshot) return withStore(options, store => end(store, id, 'completed', options))
      return withSnapshots(options, async (store, folder) => {
        await requireSnapshot(store, folder, id)
        await end(store, id, 'completed', options)
      })
    })
  addCommand(group, 'fail <id>', 'Mark a running assessment as failed.').action(
    (id: string, options: CommonOptions) => withStore(options, store => end(store, id, 'failed', options)),
  )
  addCommand(
    group,
    'list <project>',
    'List the assessments of the project with this UUID, oldest first.',
  ).action((id: string, options: CommonOptions) =>
    withStore(options, async store => {
      const project = await requireProject(store, id)
      const assessments = (await listAssessments(store, project.projectId)).map(each => asJson(each, project))
      await printList(options, assessments, {
        ID: each => each.id,
        STATE: each => each.state,
        STARTED: each => each.startedAt,
        ENDED: each => each.endedAt ?? '-',
      })
    }),
  )
}

async function end(
  store: Store,
  id: string,
  state: 'completed' | 'failed',
  options: CommonOptions,
): Promise<void> {
  const words = wordsOf(await chosenCatalogue(options))
  const assessment = await endAssessment(store, id, state, words)
  const project = await requireProject(store, assessment.projectId)
  print(options, asJson(assessment, project), `The assessment ${assessment.id} has ${state}`)
}

/**
 * Throws a Refusal when a running assessment has sealed no snapshot, as when a
 * script ignores a failed command.
 */
async function requireSnapshot(store: Store, folder: DataFolder, id: string): Promise<void> {
  const assessment = await requireRunningAssessment(store, id)
  // Its newest snapshot is there: until it ends, no other assessment of the project
  // seals one that could replace it.
  const manifests = await folder.shared.snapshots.manifests(assessment.projectId)
  if (manifests.some(({ assessmentId }) => assessmentId === assessment.id)) return
  throw new Refusal(
    `The assessment ${assessment.id} has sealed no snapshot, so queries would read nothing new: seal its tables with ` +
      '"foldgate snapshot seal", end it with "foldgate assessment fail", or add --without-snapshot if that is intended',
  )
}

function asJson({ id, projectId, state, startedAt, endedAt }: Assessment, project: Project) {
  const started = formatInstant(startedAt)
  const name = `${project.name}, ${started}`
  return { id, name, projectId, state, startedAt: started, endedAt: instantOrNull(endedAt) }
}
