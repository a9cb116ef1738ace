import type Router from 'koa-router'
import { keyPort } from '../store/ports.js'
import { findProject } from '../store/projects.js'
import type { PageOptions } from './exchange.js'

/**
 * Path at which the query page reads the warnings with which the newest snapshot of a project was sealed. The headers
 * say which snapshot it is (`ETag`) and when it was sealed (`Last-Modified`).
 */
const PATH = '/explore/warnings/:projectId'

/** The route of those warnings. Like the API, it takes a key, and shows nothing that the key may not read. */
export function warningRoutes(router: Router, { store, newestOf }: PageOptions): void {
  const keys = keyPort(store)
  router.get(PATH, async context => {
    context.set('Cache-Control', 'no-store')
    const key = /^Bearer (\S+)$/.exec(context.get('authorization'))?.[1]
    const caller = key === undefined ? null : await keys.authenticate(key, new AbortController().signal)
    context.status = caller ? 404 : 401
    context.body = {}
    const projectId = String(context.params.projectId).toLowerCase()
    const project = caller && (await findProject(store, projectId))
    if (!project || !caller?.organizations.includes(project.organization)) return
    const newest = await newestOf(project.projectId)
    if (newest) {
      context.etag = newest.snapshotId
      context.lastModified = new Date(newest.sealedAt)
    }
    context.body = { warnings: newest?.warnings ?? [] }
    context.status = 200
  })
}
