import type { Target } from './transport.js'

/** What a client needs to know of its service. */
interface TargetOptions {
  url: string
  key: string
  fetch?: typeof globalThis.fetch | undefined
}

/** Reads where to send requests, and with which key. Throws a TypeError that names a wrong option. */
export function targetOf({
  url,
  key,
  fetch = (...request) => globalThis.fetch(...request),
}: TargetOptions): Target {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash)
    throw new TypeError(
      'url must be the http or https address of the service, for instance https://data.example',
    )
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be an API key: letters, digits and signs, no spaces')
  return { base: parsed.href.replace(/\/$/, ''), key, fetch }
}
