import { join } from 'node:path'
import {
  type AnalyticsApi,
  createAnalyticsApi,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
  type ProjectRecord,
} from 'foldgate'
import { catalogue } from '@/catalogue'

const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'

const kept = globalThis as typeof globalThis & { analytics?: AnalyticsApi }

/** The API of this process, created by the first request: Next evaluates modules during the build too. */
export function analytics(): AnalyticsApi {
  kept.analytics ??= createApi(process.env)
  return kept.analytics
}

/**
 * The API with keys and projects in memory and files in a folder: one organization with one key and one
 * project.
 */
function createApi({
  ANALYTICS_URL = '',
  ANALYTICS_FOLDER = 'data',
  ANALYTICS_KEY,
  FOLDGATE_SECRET = '',
}: NodeJS.ProcessEnv) {
  const projects: ProjectRecord[] = [
    { projectId: PROJECT, name: 'Ours', organization: 'us', sequence: 1, completed: true, running: false },
  ]
  return createAnalyticsApi({
    baseUrl: ANALYTICS_URL,
    secrets: [FOLDGATE_SECRET], // keep it: a new secret invalidates cursors and links
    catalogue,
    keys: {
      authenticate: async sent =>
        sent === ANALYTICS_KEY ? { keyId: '1', ownerId: 'ada', organizations: ['us'] } : null,
    },
    projects: {
      find: async projectId => projects.find(project => project.projectId === projectId) ?? null,
      list: async ({ organizations, after, limit }) =>
        projects
          .filter(({ organization: o, sequence: s }) => organizations.includes(o) && s > after)
          .slice(0, limit),
    },
    snapshots: directorySnapshots(join(ANALYTICS_FOLDER, 'snapshots')),
    exports: directoryExports(join(ANALYTICS_FOLDER, 'exports'), { retentionMs: 86_400_000 }),
    engine: duckdbEngine({ folder: join(ANALYTICS_FOLDER, 'engine') }),
  })
}
