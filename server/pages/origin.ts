import type { Context } from 'koa'

/**
 * Whether another site has sent this request, as far as the browser tells. `Sec-Fetch-Site` comes with secure origins
 * alone; elsewhere the Origin has to be the one that was called, or the one that is configured.
 */
export function isCrossSite(context: Context, baseUrl: string): boolean {
  const site = context.get('Sec-Fetch-Site')
  if (site !== '') return site !== 'same-origin' && site !== 'none'
  const origin = context.get('Origin')
  if (origin === '' || origin === baseUrl) return false
  return !URL.canParse(origin) || new URL(origin).host !== context.get('Host')
}
