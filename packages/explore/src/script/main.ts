import type { Client, QueryParams } from 'foldgate/client'
import { access, type KeyedClient } from './access.js'
import { classOf, isFailure } from './call-failure.js'
import { checking } from './checking.js'
import { comparing } from './compare.js'
import { copies, find, latest, onClick, show } from './dom.js'
import { openEditor } from './editor.js'
import { chooseEscaping, exporting } from './export.js'
import { hintList } from './hints.js'
import { meaningsOf, readCatalogue } from './meanings.js'
import { clientOf, namedForm, readNamedQueries } from './named.js'
import { openPanes } from './panes.js'
import { parameterFields } from './parameter-fields.js'
import type { EditedStatement } from './parameters.js'
import { pointOfView } from './point.js'
import { chooseProject } from './projects.js'
import { queries } from './queries.js'
import { refusals } from './refused-statement.js'
import { listRelations, vocabularyOf } from './relations.js'
import { OF_STATEMENTS, type Question, results } from './results.js'
import { sealedSnapshot } from './sealed.js'
import { fragmentOf, type Link, readLink, readOpening, recall, remember } from './tab.js'

/** The client with the key, and the project that queries go to. */
interface QueryTarget {
  client: Client
  projectId: string
}

const workspace = find('workspace')
const bar = find('bar')
const reading = find('reading')
let target: QueryTarget | null = null

takeOpening()
// After a reload, the address still has the query that ran last; text that was typed since then is kept.
if (location.hash !== recall('address')) takeLink(readLink(location.hash))
const fields = parameterFields(
  () => run(),
  () => settle(),
)
const editor = openEditor({
  onRun: () => run(),
  onCheck: () => check(),
  onChange: text => {
    fields.follow(text)
    settle()
  },
})
fields.follow(editor.text())
const refusal = refusals(editor, fields, {
  onKeyLost: words => key.lose(words),
  onSnapshotGone: () => void sealed.readNewest().then(() => run()),
})
const point = pointOfView(isChosen => settle(isChosen))
const sealed = sealedSnapshot(() => settle(true))
const hints = hintList(editor)
const compared = comparing(refusal, sealed, () => rows.shown())
const rows = results(refusal, hints, compared.offer)
const checked = checking(refusal, hints)
const files = exporting(refusal)
const named = namedForm(fields, settle, () => {
  fields.follow(editor.text())
  settle()
})
const started = queries(statement, ({ sql, parameters }, runs) => {
  named.close()
  editor.write(sql)
  fields.take(parameters)
  if (runs) run()
  find('run').focus()
})
const describing = latest()
/** Lists the named queries, which are read when they are looked for first. */
let listNamed: (() => Promise<void>) | null = null
find('examples-menu').addEventListener('toggle', () => {
  void listNamed?.()
  listNamed = null
})
const key = access(open, close)

openPanes()
chooseEscaping()
const fold = find('relations-fold')
const wide = matchMedia('(min-width: 64rem)')
/**
 * On wide screens the relations are open beside the query; on narrow ones they come last and start folded.
 */
const fit = () => {
  fold.open = wide.matches
}
wide.addEventListener('change', fit)
fit()
onClick(find('run'), () => run())
onClick(find('run-again'), () => run())
find('limit').addEventListener('change', () => settle(true))
onClick(find('check'), check)
onClick(find('export'), () => {
  const shown = rows.shown()
  if (shown) files.start(shown.client, shown.params, shown.isEarlier)
  else asking((client, params) => files.start(client, { ...params, snapshot: sealed.id() }))
})
copies(find('share'), shareLink)
addEventListener('hashchange', () => {
  const isOpened = takeOpening()
  const link = readLink(location.hash)
  if (!link && !isOpened) return
  takeLink(link)
  // A link of the same page in another project: all of it starts anew from what the tab remembers now.
  location.reload()
})

/** Takes the key and the project of a link out of the address. The key that the tab has already stays; another one is offered. */
function takeOpening(): boolean {
  const opening = readOpening(location.hash)
  if (!opening) return false
  history.replaceState(null, '', location.pathname)
  if (recall('key') === null) remember('offered', opening.key)
  if (opening.project !== null) remember('project', opening.project)
  return true
}

/**
 * Remembers what a link holds, as if it had been typed in this tab. The query does not run before the user
 * clicks Run, since others may have written it.
 */
function takeLink(link: Link | null): void {
  if (!link) return
  remember('project', link.project)
  remember('sql', link.sql)
  remember('parameters', JSON.stringify(link.parameters ?? {}))
  remember('entity', link.entity ?? null)
  remember('ownership', link.ownership ?? null)
  remember('snapshot', link.snapshot ?? null)
  remember('linked', link.project)
  remember('address', location.hash)
}

function shareLink(): string {
  const view = point.read()
  if (!target || !view) return location.href
  const link = linkTo({ projectId: target.projectId, ...statement(), ...view, snapshot: sealed.older() })
  return `${location.origin}${location.pathname}${fragmentOf(link)}`
}

function linkTo({
  projectId: project,
  sql,
  parameters,
  entityId,
  ownershipView,
  snapshot,
}: Omit<QueryParams, 'parameters'> & EditedStatement): Link {
  return {
    project,
    sql,
    parameters,
    ...(ownershipView ? { ownership: ownershipView } : {}),
    ...(entityId ? { entity: entityId } : {}),
    ...(snapshot ? { snapshot } : {}),
  }
}

/** The statement on the page, with what was typed for its parameters. */
function statement(): EditedStatement {
  return { sql: editor.text(), parameters: fields.kept() }
}

/** What the controls ask. */
function question(): Question {
  return {
    statement: JSON.stringify([target?.projectId, named.open()?.name, statement()]),
    view: JSON.stringify([point.chosen(), find('limit').value, sealed.id()]),
  }
}

/**
 * Takes back what the page says of a question that has changed since. `runs`: where the statement is the same, its rows are
 * read anew.
 */
function settle(runs = false): void {
  refusal.clear()
  checked.clear()
  hints.clear()
  rows.follow(question())
  if (runs && point.chosen() && rows.mayFollow(question())) run(true)
}

function run(keepsShape = false): void {
  files.settle()
  checked.clear()
  sealed.renew()
  asking((client, params) => {
    const [ran, query] = [statement(), named.open()]
    rows.follow(question())
    const path = query ? `queries/${query.name}` : OF_STATEMENTS
    rows.run(client, params, { question: question(), keepsShape, snapshot: sealed.id(), path }, () => {
      if (query) return
      started.ran(params.projectId, ran)
      history.replaceState(null, '', fragmentOf(linkTo({ ...params, ...ran })))
      remember('address', location.hash)
    })
  })
}

function check(): void {
  asking(checked.check)
}

/** Calls `work` with the query, its values and its point of view, or says what is missing. */
function asking(work: (client: Client, params: QueryParams) => void): void {
  if (!target) {
    find('status').textContent = 'There is no project to query.'
    return
  }
  const [view, values] = [point.read(), fields.read()]
  const query = named.open()
  if (view && values)
    work(query ? clientOf(target.client, query.name) : target.client, {
      projectId: target.projectId,
      sql: query ? '' : editor.text(),
      ...values,
      ...view,
      ...(sealed.older() ? { snapshot: sealed.older() } : {}),
    })
  else if (view) find('status').textContent = 'A parameter cannot be read.'
}

function open(held: KeyedClient): void {
  show(true, workspace, bar)
  chooseProject(held, projectId => void look(held, projectId))
    .then(hasAny => {
      if (!hasAny)
        rows.clear('This key reads no project. Ask the people who gave it to you for access to one.')
    })
    .catch((error: unknown) => refusal.tell(error, () => open(held)))
}

function close(): void {
  describing.stop()
  target = null
  rows.clear('')
  files.clear()
  // The next user of this browser may have no access to what was queried with the key.
  started.forget()
  show(false, workspace, bar)
}

/** Switches to a project: shows its relations and offers its examples and entities. */
async function look(held: KeyedClient, projectId: string): Promise<void> {
  const { client } = held
  const signal = describing.start()
  const isOther = target !== null && target.projectId !== projectId
  target = { client, projectId }
  const project = find('project')
  project.title = project.selectedOptions[0]?.textContent ?? ''
  point.clear(isOther)
  if (isOther) remember('snapshot', null)
  checked.clear()
  rows.clear('')
  files.clear()
  const readNamed = () => readNamedQueries(() => held.document('queries.json', signal))
  named.offer([], false)
  listNamed = async () => named.offer(await readNamed(), false)
  reading.textContent = 'Loading the relations of this project …'
  find('relations').replaceChildren()
  try {
    const [{ relations, examples }, catalogue] = await Promise.all([
      client.describe({ projectId }, { signal }),
      readCatalogue(client, signal),
      sealed.offer(client, projectId, signal),
    ])
    const described = { projectId, relations, meanings: meaningsOf(catalogue) }
    const words = vocabularyOf(client, described, signal)
    editor.learn(words)
    listRelations({ words, editor, run })
    started.offer(projectId, examples)
    reading.textContent = ''
    const [first] = examples
    const linked = recall('linked')
    if (recall('sql') === null && first) {
      // On a first visit, the first example runs. It comes from the server, not from a link.
      editor.write(first.sql)
      run()
    } else if (linked !== null) {
      const words =
        linked === projectId
          ? 'This query came with the link. Read it, then run it.'
          : 'This key cannot read the project that the link is for. The query is here, but for another project.'
      rows.clear(words)
      remember('linked', null)
    }
    await point.offer(client, projectId, relations, signal)
    rows.follow(question())
  } catch (error) {
    if (signal.aborted) return
    // A key that may call no other method can still run the queries that it lists.
    const ready = isFailure(error) && classOf(error) === 'FORBIDDEN' ? await readNamed() : []
    if (ready.length > 0) {
      listNamed = null
      named.offer(ready, true)
      rows.clear('Choose values, then run.')
      return
    }
    reading.textContent = 'This project cannot be queried now.'
    rows.clear('This project cannot be queried now.')
    refusal.tell(error, () => void look(held, projectId))
  }
}
