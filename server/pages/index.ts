import type Router from 'koa-router'
import { assetRoutes } from './asset-routes.js'
import { COPY_ASSET, ICON_ASSET, STYLE_ASSET } from './assets.js'
import { loginAttempts } from './attempts.js'
import { entryRoutes } from './entry-routes.js'
import { keyRoutes } from './key-routes.js'
import type { Notices } from './keys.js'
import { once } from './once.js'
import { passwordRoutes } from './password-routes.js'
import { type PageOptions, pageRoutes } from './routing.js'

/**
 * Adds the web pages to a router: login and keys at `/`, one's password at `/password`, their assets, and the pages of
 * packages.
 */
export function addPages(router: Router, options: PageOptions): void {
  const pages = pageRoutes(router, options)
  const notices = once<Notices>()
  const attempts = loginAttempts(options.store.clock)
  entryRoutes(pages, options, { attempts, notices })
  passwordRoutes(pages, options, { attempts, notices })
  keyRoutes(pages, options, notices)
  for (const { addPages: add } of options.added ?? []) add?.(pages, options)
  assetRoutes(pages, [STYLE_ASSET, COPY_ASSET, ICON_ASSET])
}
