import type { Command } from 'commander'
import { projectState } from 'foldgate/internal'
import { formatInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { mapped } from '../store/in-pages.js'
import {
  addProject,
  type Project,
  projectsInOrder,
  renameProject,
  requireProject,
  setEngine,
} from '../store/projects.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { print, printList } from './print.js'
import { removeProjectCommand } from './remove.js'

const DEFAULT_ENGINE = 'duckdb'
const ENGINES = [DEFAULT_ENGINE, 'trino']

interface ProjectOptions extends CommonOptions {
  organization: string
  name: string
  id?: string
}

/** `foldgate project …` */
export function projectCommands(program: Command): void {
  const group = addGroup(program, 'project', 'Manage projects: what callers query.')
  addCommand(group, 'add', 'Register a project and print its id.')
    .requiredOption('--organization <key>', 'Organization that owns the project.')
    .requiredOption('--name <name>', 'Name that callers see.')
    .option('--id <uuid>', 'Id of the project; generated if omitted.')
    .action((options: ProjectOptions) =>
      withStore(options, async store => {
        const { organization, name, id } = options
        const project = await addProject(store, { organization, name, ...(id === undefined ? {} : { id }) })
        print(options, asJson(project), project.projectId)
      }),
    )
  addCommand(group, 'list', 'List all projects in order of registration.').action((options: CommonOptions) =>
    withStore(options, async store => {
      await printList(options, mapped(projectsInOrder(store), asJson), {
        ID: each => each.id,
        NAME: each => each.name,
        ORGANIZATION: each => each.organization,
        STATE: each => each.state,
        CREATED: each => each.createdAt,
      })
    }),
  )
  addCommand(
    group,
    'engine <project> <engine>',
    'Choose what runs the queries of a project: duckdb or trino.',
  ).action((id: string, engine: string, options: CommonOptions) =>
    withStore(options, async store => {
      const { projectId } = await requireProject(store, id)
      if (!ENGINES.includes(engine))
        throw new Refusal(`There is no engine ${quoted(engine)}: choose ${ENGINES.join(' or ')}`)
      await setEngine(store, projectId, engine === DEFAULT_ENGINE ? null : engine)
      print(options, { id: projectId, engine }, `${projectId}: ${engine}`)
    }),
  )
  addCommand(group, 'rename <project> <name>', 'Change the name of a project.').action(
    (id: string, name: string, options: CommonOptions) =>
      withStore(options, async store => {
        const project = await renameProject(store, id, name)
        print(options, asJson(project), `The project ${project.projectId} is named ${quoted(project.name)}`)
      }),
  )
  removeProjectCommand(group)
}

function asJson(project: Project) {
  const { projectId: id, name, organization, createdAt, engine } = project
  const state = projectState(project)
  return { id, name, organization, state, createdAt: formatInstant(createdAt), ...(engine ? { engine } : {}) }
}
