import { gzipSync } from 'node:zlib'
import type { Asset } from './assets.js'
import type { PageRoutes } from './routing.js'

const FOR_EVER = 'public, max-age=31536000, immutable'

/** Serves these files, gzipped when the client accepts gzip. */
export function assetRoutes({ getFile }: PageRoutes, assets: readonly Asset[]): void {
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
