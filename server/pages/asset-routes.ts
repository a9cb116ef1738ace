import { gzipSync } from 'node:zlib'
import type Router from 'koa-router'
import type { Asset } from './assets.js'

const FOR_EVER = 'public, max-age=31536000, immutable'

/** Serves these files, gzipped when the client accepts gzip. */
export function assetRoutes(router: Router, assets: readonly Asset[]): void {
  for (const { path, type, text } of assets) {
    const small = gzipSync(text)
    router.get(path, context => {
      context.set({ 'Cache-Control': FOR_EVER, 'X-Content-Type-Options': 'nosniff' })
      context.vary('Accept-Encoding')
      context.type = type
      if (context.acceptsEncodings('gzip', 'identity') === 'gzip') {
        context.set('Content-Encoding', 'gzip')
        context.body = small
      } else context.body = text
    })
  }
}
