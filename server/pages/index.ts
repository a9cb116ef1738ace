import { gzipSync } from 'node:zlib'
import type Router from 'koa-router'
import { type Asset, COPY_ASSET, ICON_ASSET, STYLE_ASSET } from './assets.js'
import { loginAttempts } from './attempts.js'
import { entryRoutes } from './entry-routes.js'
import { EXPLORE_STYLE_ASSET } from './explore.js'
import { exploreRoutes } from './explore-routes.js'
import { keyRoutes } from './key-routes.js'
import type { Notices } from './keys.js'
import { MODULES } from './modules.js'
import { once } from './once.js'
import { passwordRoutes } from './password-routes.js'
import { type PageOptions, type PageRoutes, pageRoutes } from './routing.js'
import { savedQueryRoutes } from './saved-query-routes.js'
import { webhookRoutes } from './webhook-routes.js'

const FOR_EVER = 'public, max-age=31536000, immutable'

/**
 * Adds the web pages to a router: login and keys at `/`, one's password at `/password`, webhooks at `/webhooks`, queries
 * at `/explore`, and the assets of all.
 */
export function addPages(router: Router, options: PageOptions): void {
  const pages = pageRoutes(router, options)
  const notices = once<Notices>()
  const attempts = loginAttempts(options.store.clock)
  entryRoutes(pages, options, { attempts, notices })
  passwordRoutes(pages, options, { attempts, notices })
  keyRoutes(pages, options, notices)
  webhookRoutes(pages, options)
  exploreRoutes(pages, options)
  savedQueryRoutes(pages, options)
  assetRoutes(pages, [STYLE_ASSET, COPY_ASSET, ICON_ASSET, EXPLORE_STYLE_ASSET, ...MODULES])
}

/** Serves these files, gzipped when the client accepts gzip. */
function assetRoutes({ getFile }: PageRoutes, assets: readonly Asset[]): void {
  for (const { path, type, text } of assets) {
    // All answers share these bytes: a string would be copied for each reader.
    const whole = Buffer.from(text)
    const small = gzipSync(whole)
    getFile(path, context => {
      context.set({ 'Cache-Control': FOR_EVER, 'X-Content-Type-Options': 'nosniff' })
      context.vary('Accept-Encoding')
      context.type = type
      if (context.acceptsEncodings('gzip', 'identity') === 'gzip') {
        context.set('Content-Encoding', 'gzip')
        context.body = small
      } else context.body = whole
    })
  }
}
