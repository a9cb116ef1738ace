import { createHash } from 'node:crypto'
import { COPY_SCRIPT } from './copy.js'
import { ICON } from './icon.js'
import { STYLE } from './style.js'

/** A static file of the pages. Its path contains a hash of its content, so browsers may cache it forever. */
export interface Asset {
  path: string
  type: string
  text: string
}

export const STYLE_ASSET = asset('css', 'text/css; charset=utf-8', STYLE)
export const COPY_ASSET = asset('js', 'text/javascript; charset=utf-8', COPY_SCRIPT)
export const ICON_ASSET = asset('svg', 'image/svg+xml', ICON)

/** Makes an asset whose path contains a hash of its content. */
export function asset(ending: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return { path: `/assets/${hash}.${ending}`, type, text }
}
