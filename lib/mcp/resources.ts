import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { describedRelation } from '../catalogue/described.js'
import type { DescribedRelation } from '../catalogue-document.js'
import type { Service } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import { readable, readableCatalogue } from '../methods/readable-catalogue.js'
import type { Caller } from '../ports.js'
import { describing } from './describing.js'

const CATALOGUE = 'foldgate://catalogue'
const EXAMPLES = 'foldgate://examples'
const JSON_TYPE = 'application/json'

/** Adds the catalogue, each of its relations, and the worked queries as resources. */
export function addResources(
  server: McpServer,
  service: Service,
  request: CallerRequest,
  caller: Caller,
): void {
  const { engines } = service.core
  const catalogue = readableCatalogue(caller, service.core.catalogue)
  const described = catalogue.summaries.map(({ name }) => describedRelation(catalogue, name))
  const resource = (uri: string, title: string, text: () => string | Promise<string>) =>
    server.registerResource(title, uri, { title, mimeType: JSON_TYPE }, async () =>
      contents(uri, await text()),
    )
  resource(CATALOGUE, 'Relations that queries may read', () => linesOf(described))
  resource(EXAMPLES, 'Worked queries', async () =>
    JSON.stringify(await readable(caller, engines.main, engines.main.examples)),
  )
  const title = 'A relation with its columns'
  const list = () => ({
    resources: described.map(({ name, about }) => ({
      uri: `${CATALOGUE}/${name}`,
      name,
      mimeType: JSON_TYPE,
      ...(about ? { description: about } : {}),
    })),
  })
  server.registerResource(
    title,
    new ResourceTemplate(`${CATALOGUE}/{relation}`, { list }),
    { title, mimeType: JSON_TYPE },
    async ({ href }, { relation }) => {
      const found = described.find(({ name }) => name === relation)
      if (!found) throw new ResourceNotFoundError(href)
      return contents(href, JSON.stringify(await withColumns(service, request, found)))
    },
  )
}

function contents(uri: string, text: string) {
  return { contents: [{ uri, mimeType: JSON_TYPE, text }] }
}

/** The relations without their columns, as JSON with one line each. */
function linesOf(relations: readonly DescribedRelation[]): string {
  const lines = relations.map(({ name, kind, about }) => JSON.stringify({ name, kind, about }))
  return `[\n${lines.join(',\n')}\n]`
}

/**
 * The relation, with the columns that it has in the first computed project of the first page that the key can
 * read if the catalogue does not tell them. This takes two calls; when one fails, the relation has no columns.
 */
async function withColumns(
  service: Service,
  request: CallerRequest,
  relation: DescribedRelation,
): Promise<DescribedRelation> {
  if (relation.columns) return relation
  return (await readColumns(service, request, relation.name).catch(() => null)) ?? relation
}

async function readColumns(
  { calls }: Service,
  request: CallerRequest,
  name: string,
): Promise<DescribedRelation | null> {
  const listed = await calls.call(request, calls.methods['projects/list'], { page: { limit: 500 } })
  const project = listed.result.items.find(({ state }) => state === 'computed')
  if (!project) return null
  const { projectId } = project
  const describe = describing(calls.methods['projects/describe'] as Method, { relations: [name] })
  const { result } = await calls.call(request, describe, { projectId })
  return (result as { relations: DescribedRelation[] }).relations[0] ?? null
}
