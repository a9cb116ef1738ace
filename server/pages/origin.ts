import type { Context } from 'koa'

/**
 * Whether another site sent this request, according to the browser. Browsers send `Sec-Fetch-Site` to secure origins
 * only; without it, an `Origin` must match the `Host` header or the base URL. Without either, the request passes.
 */
export function isCrossSite(context: Context, baseUrl: string): boolean {
  const site = context.get('Sec-Fetch-Site')
  if (site !== '') return site !== 'same-origin' && site !== 'none'
  const origin = context.get('Origin')
  if (origin === '' || origin === baseUrl) return false
  return !URL.canParse(origin) || new URL(origin).host !== context.get('Host')
}
