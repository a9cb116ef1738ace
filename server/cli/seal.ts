import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { Store } from '../database/store.js'
import { sealFolder } from '../import/seal-folder.js'
import { Refusal } from '../input/refusal.js'
import { CATALOGUE_SETTING } from '../settings/flags.js'
import { wordsOf } from '../settings/words.js'
import { findRunningAssessment, recordAssessed } from '../store/assessments.js'
import { newestSnapshot } from '../store/newest-snapshots.js'
import { checkProjectId, findProject } from '../store/projects.js'
import { addCommand, type CommonOptions, settingOption, withSnapshots } from './command.js'
import { interruptible } from './interrupt.js'
import { reportSealed } from './print.js'

/** `foldgate seal` */
export function sealCommand(program: Command): void {
  addCommand(
    program,
    'seal <project> <folder>',
    'Seal the tables of a folder for the project with this UUID; print the id of the snapshot.',
  )
    .addOption(settingOption(CATALOGUE_SETTING))
    .addHelpText(
      'after',
      '\nThe folder holds one CSV or Parquet file per table of the catalogue. Once the command has ended, queries read\n' +
        'the new snapshot. When a table has problems, all of them are listed and nothing is sealed.',
    )
    .action((project: string, source: string, options: CommonOptions) =>
      withSnapshots(options, async (store, data) => {
        const { projectId, name } = await projectToSeal(store, project)
        const words = wordsOf(data.catalogue)
        await refuseRunning(store, projectId)
        const before = await newestSnapshot(store, projectId)
        const startedAt = store.clock.now()
        const assessmentId = randomUUID()
        const folder = { projectId, source, ...(words.hasAssessments ? { assessmentId } : {}) }
        const sealed = await interruptible(
          signal =>
            sealFolder(data, { ...folder, signal }, manifest =>
              recordAssessed(store, { manifest, before, id: assessmentId, startedAt }, words),
            ),
          'nothing was sealed',
        )
        reportSealed(options, { ...sealed, name }, words)
      }),
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
