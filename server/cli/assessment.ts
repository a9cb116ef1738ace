import type { Command } from 'commander'
import { type Assessment, endAssessment, listAssessments, startAssessment } from '../store/assessments.js'
import { formatInstant } from '../store/instants.js'
import { type Project, requireProject } from '../store/projects.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { instantOrNull, print, printList } from './output.js'

/** `foldgate assessment …` */
export function assessmentCommands(program: Command): void {
  const group = addGroup(program, 'assessment', 'Manage assessments: a project has at most one running.')
  addCommand(group, 'start <project>', 'Start an assessment of the project with this UUID and print its id.').action(
    (project: string, options: CommonOptions) =>
      withStore(options, async store => {
        const assessment = await startAssessment(store, project)
        print(options, asJson(assessment, await requireProject(store, assessment.projectId)), assessment.id)
      }),
  )
  const end = (usage: string, about: string, state: 'completed' | 'failed') =>
    addCommand(group, usage, about).action((id: string, options: CommonOptions) =>
      withStore(options, async store => {
        const assessment = await endAssessment(store, id, state)
        print(
          options,
          asJson(assessment, await requireProject(store, assessment.projectId)),
          `The assessment ${assessment.id} has ${state}`,
        )
      }),
    )
  end('complete <id>', 'Mark a running assessment as completed, and so its project as computed.', 'completed')
  end('fail <id>', 'Mark a running assessment as failed.', 'failed')
  addCommand(group, 'list <project>', 'List the assessments of the project with this UUID, oldest first.').action(
    (id: string, options: CommonOptions) =>
      withStore(options, async store => {
        const project = await requireProject(store, id)
        const assessments = (await listAssessments(store, project.projectId)).map(each => asJson(each, project))
        printList(options, assessments, {
          ID: each => each.id,
          STATE: each => each.state,
          STARTED: each => each.startedAt,
          ENDED: each => each.endedAt ?? '-',
        })
      }),
  )
}

function asJson({ id, projectId, state, startedAt, endedAt }: Assessment, project: Project) {
  const started = formatInstant(startedAt)
  const name = `${project.name}, ${started}`
  return { id, name, projectId, state, startedAt: started, endedAt: instantOrNull(endedAt) }
}
