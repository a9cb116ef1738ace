import { createServer } from 'node:http'
import { join } from 'node:path'
import {
  type AnalyticsApi,
  createAnalyticsApi,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
  type ProjectRecord,
} from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { catalogue } from './catalogue.js'

export const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'

/** A server with the API under `/analytics`; the host answers all other paths. */
export function createHost(api: AnalyticsApi) {
  const analytics = toNodeHandler(api)
  return createServer((request, response) => {
    analytics(request, response, () => response.end('the host itself'))
  })
}

/** The API, with keys and projects in memory and files in `folder`: one organization, key and project. */
export function createApi(options: { baseUrl: string; folder: string; secret: string; key: string }) {
  const { baseUrl, folder, secret, key } = options
  const projects: ProjectRecord[] = [
    { projectId: PROJECT, name: 'Ours', organization: 'us', sequence: 1, completed: true, running: false },
  ]
  return createAnalyticsApi({
    baseUrl,
    secrets: [secret], // keep it: a new secret invalidates cursors and links
    catalogue,
    keys: {
      authenticate: async sent =>
        sent === key ? { keyId: '1', ownerId: 'ada', organizations: ['us'] } : null,
    },
    projects: {
      find: async projectId => projects.find(project => project.projectId === projectId) ?? null,
      list: async ({ organizations, after, limit }) =>
        projects
          .filter(({ organization: o, sequence: s }) => organizations.includes(o) && s > after)
          .slice(0, limit),
    },
    snapshots: directorySnapshots(join(folder, 'snapshots')),
    exports: directoryExports(join(folder, 'exports'), { retentionMs: 86_400_000 }),
    engine: duckdbEngine({ folder: join(folder, 'engine') }),
    onEvent: event => {
      if ('cause' in event) console.error(event)
    },
  })
}
