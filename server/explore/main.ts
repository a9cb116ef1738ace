import { access, type Projects } from './access.js'
import type { Api, QueryParams } from './api.js'
import { find, onClick, show } from './dom.js'
import { openEditor } from './editor.js'
import { worked } from './examples.js'
import { exporting } from './export.js'
import { latest } from './latest.js'
import { pointOfView } from './point.js'
import { chooseProject } from './projects.js'
import { refusals } from './refusal.js'
import { listRelations } from './relations.js'
import { results } from './results.js'
import { showWarnings } from './sealed.js'
import { recall } from './tab.js'

/** The API with the key, and the project that queries go to. */
interface Target {
  api: Api
  projectId: string
}

const workspace = find('workspace', HTMLElement)
const reading = find('reading', HTMLElement)
let target: Target | null = null

const editor = openEditor(
  () => run(),
  () => {
    refusal.clear()
    examples.leave()
  },
)
const refusal = refusals(editor, words => key.lose(words))
const point = pointOfView()
const rows = results(refusal)
const files = exporting(refusal)
const examples = worked(editor)
const describing = latest()
const key = access(open, close)

const fold = find('relations-fold', HTMLDetailsElement)
const wide = matchMedia('(min-width: 64rem)')
/** On wide screens the relations are open beside the query; on narrow ones they come first and would push it down. */
const fit = () => {
  fold.open = wide.matches
}
wide.addEventListener('change', fit)
fit()
onClick(find('run', HTMLButtonElement), run)
onClick(find('export', HTMLButtonElement), () => asking(files.start))

function run(): void {
  files.settle()
  asking(rows.run)
}

/** Calls `work` with the query and its point of view, or says what is missing. */
function asking(work: (api: Api, params: QueryParams) => void): void {
  if (!target) {
    find('status', HTMLElement).textContent = 'There is no project to query.'
    return
  }
  const view = point.read()
  if (view) work(target.api, { projectId: target.projectId, sql: editor.text(), ...view })
}

function open(api: Api, projects: Projects): void {
  show(true, workspace)
  chooseProject(api, projects, projectId => void look(api, projectId)).catch((error: unknown) =>
    refusal.tell(error, () => open(api, projects)),
  )
}

function close(): void {
  describing.stop()
  target = null
  rows.clear()
  files.clear()
  show(false, workspace)
}

/** Switches to a project: shows its relations and offers its examples and entities. */
async function look(api: Api, projectId: string): Promise<void> {
  const signal = describing.start()
  const isOther = target !== null && target.projectId !== projectId
  target = { api, projectId }
  point.clear(isOther)
  rows.clear()
  files.clear()
  reading.textContent = 'Loading the relations of this project …'
  find('relations', HTMLElement).replaceChildren()
  void showWarnings(api, projectId, signal)
  try {
    const { result } = await api.call('projects/describe', { projectId }, signal)
    listRelations(result, { api, projectId, editor, signal, run })
    examples.offer(result.examples)
    reading.textContent = ''
    if (recall('sql') === null) examples.first()
    await point.offer(api, projectId, result.relations, signal)
  } catch (error) {
    if (signal.aborted) return
    reading.textContent = 'This project cannot be queried now.'
    refusal.tell(error, () => void look(api, projectId))
  }
}
