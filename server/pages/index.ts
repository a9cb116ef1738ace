import type Router from 'koa-router'
import { COPY_ASSET, ICON_ASSET, STYLE_ASSET } from './assets.js'
import { entryRoutes } from './entry-routes.js'
import { exchange, type PageOptions } from './exchange.js'
import { keyRoutes } from './key-routes.js'

const FOR_EVER = 'public, max-age=31536000, immutable'

/** Adds the pages for people to a router: the login and the keys at `/`, what they lead to, and the files they name. */
export function addPages(router: Router, options: PageOptions): void {
  const pages = exchange(router, options)
  entryRoutes(pages, options)
  keyRoutes(pages, options)
  for (const { path, type, text } of [STYLE_ASSET, COPY_ASSET, ICON_ASSET]) {
    router.get(path, context => {
      context.set({ 'Cache-Control': FOR_EVER, 'X-Content-Type-Options': 'nosniff' })
      context.type = type
      context.body = text
    })
  }
}
