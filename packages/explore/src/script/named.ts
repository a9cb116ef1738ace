import type { Client, ExportParams, QueryParams } from 'foldgate/client'
import { isFailure, isStopped } from './call-failure.js'
import { find, make, onClick, show } from './dom.js'
import type { ParameterFields } from './parameter-fields.js'
import type { Declared } from './parameters.js'

/** The newest version of a query that the catalogue names. */
export interface NamedQuery {
  /** `name@version`. */
  name: string
  about: string
  parameters: readonly Declared[]
}

/** The form of a named query, in the place of the editor. */
export interface NamedForm {
  /** The query whose form is open; null while the editor is. */
  open(): NamedQuery | null
  /** Lists the queries that a key can run. `isOnly`: the key can do nothing else, so that the first one is opened. */
  offer(queries: readonly NamedQuery[], isOnly: boolean): void
  /** Goes back to the editor. */
  close(): void
}

/** The members of `queries.json` that the page reads. */
export interface QueriesDocument {
  paths: Record<
    string,
    { post: { summary: string; requestBody: { content: Record<string, { schema: Schema }> } } }
  >
  components: { schemas: Record<string, Schema> }
}

interface Schema {
  $ref?: string
  description?: string
  enum?: readonly unknown[]
  /** The schema of a value and that of NULL. */
  anyOf?: readonly Schema[]
  default?: unknown
  properties?: Record<string, Schema>
}

/** Reads the named queries that a key can run; none where there are none, or they cannot be read. */
export async function readNamedQueries(read: () => Promise<Response>): Promise<NamedQuery[]> {
  try {
    const answer = await read()
    return answer.ok ? namedQueriesIn((await answer.json()) as QueriesDocument) : []
  } catch (error) {
    if (isStopped(error) || isFailure(error) || error instanceof TypeError) return []
    throw error
  }
}

/** The newest version of each query of a document, in its order. */
export function namedQueriesIn({ paths, components: { schemas } }: QueriesDocument): NamedQuery[] {
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : (schemas[$ref.replace(/^.*\//, '')] ?? {})
  const newest = new Map<string, NamedQuery & { version: number }>()
  for (const [path, { post }] of Object.entries(paths)) {
    const [, name = '', version = ''] = /([^/@]+)@(\d+)$/.exec(path) ?? []
    if ((newest.get(name)?.version ?? 0) > Number(version)) continue
    const params = resolve(post.requestBody.content['application/json']?.schema ?? {})
    const { properties = {} } = resolve(params.properties?.parameters ?? {})
    newest.set(name, {
      name: `${name}@${version}`,
      version: Number(version),
      about: post.summary,
      parameters: Object.entries(properties).map(([name, schema]) => declaredIn(name, schema)),
    })
  }
  return [...newest.values()]
}

/** A parameter as its schema has it: `The country (VARCHAR).`, where a list has its default in words. */
function declaredIn(name: string, schema: Schema): Declared {
  const { description = '', default: fallback, anyOf = [schema] } = schema
  const values = anyOf.find(each => each.enum)?.enum
  const [, about = description, type = 'VARCHAR', list] =
    /^(.*) \(([^()]*(?:\([^()]*\)[^()]*)*)\)\.(?: Default: (.*)\.)?$/s.exec(description) ?? []
  const known = list === undefined ? fallback : (JSON.parse(list) as unknown)
  return {
    name,
    about,
    type,
    ...(values ? { values } : {}),
    ...(known === undefined ? {} : { default: known }),
  }
}

/** A client whose queries, rows and exports are those of a named query, whatever the SQL of their params. */
export function clientOf(client: Client, name: string): Client {
  // The types of the methods differ in what `include` may have, of which the page asks what each of them has.
  const own = ({ sql: _, ...params }: QueryParams | ExportParams) => params as never
  type Given = { signal?: AbortSignal }
  return {
    ...client,
    query: ((params: QueryParams, given?: Given) => client.run(name, own(params), given)) as Client['query'],
    rows: ((params: QueryParams, given?: Given) =>
      client.runRows(name, own(params), given)) as Client['rows'],
    export: ((params: ExportParams, given?: Given) =>
      client.runExport(name, own(params), given)) as Client['export'],
  }
}

/** Manages the list of named queries and the form of one. `onOpen` is called when a form takes the place of the editor. */
export function namedForm(fields: ParameterFields, onOpen: () => void, onClose: () => void): NamedForm {
  const [form, close, workspace] = [find('named'), find('named-close'), find('workspace')]
  let opened: NamedQuery | null = null
  let hasEditor = true

  function present(query: NamedQuery | null): void {
    opened = query
    show(query !== null, form)
    show(query === null, find('sql'), find('check'), find('share'), find('shortcuts'))
    // The menu saves and lists statements of the editor.
    show(query === null && hasEditor, find('queries-menu'))
    find('named-about').textContent = query?.about ?? ''
    find('named-name').textContent = query?.name ?? ''
    fields.declare(query?.parameters ?? null)
  }
  function choose(query: NamedQuery): void {
    find('examples-menu').open = false
    present(query)
    onOpen()
    fields.focus()
  }
  function leave(): void {
    if (opened === null) return
    present(null)
    onClose()
  }
  onClick(close, leave)

  return {
    open: () => opened,
    close: leave,
    offer(queries, isOnly) {
      const card = (query: NamedQuery) =>
        make(
          'li',
          {},
          make(
            'button',
            { type: 'button', class: 'card', onclick: () => choose(query) },
            make('span', {}, query.about),
            make('span', { class: 'hint' }, query.name.replace(/@.*/, '')),
          ),
        )
      find('named-list').replaceChildren(...queries.map(card))
      show(queries.length > 0, find('named-title'))
      workspace.classList.toggle('named-only', isOnly)
      show(!isOnly, find('examples-title'), close, find('fold-shelf'))
      hasEditor = !isOnly
      const [first] = queries
      if (isOnly && first) choose(first)
      else if (!queries.some(({ name }) => name === opened?.name)) leave()
    },
  }
}
