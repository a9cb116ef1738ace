import { AnalyticsError, type HttpAnswer, type HttpRequest } from 'foldgate'
import { checkOptions, type Endpoint, PATHS, pageHeaders } from 'foldgate/internal'
import { bundled } from './bundled.js'
import type { Offers } from './offers.js'
import { queryPage } from './page.js'
import { shell } from './shell.js'

/** Its files have a hash of all of them in their path. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Options of {@link explorePage}. */
interface ExploreOptions {
  /** Name of the service, in the header and in the title of the page. Default: `Foldgate`. */
  title?: string
  /** Path to which that name links. Default: the page itself. */
  home?: string
  /**
   * Says what the host has for the visitor who sent a request, by its cookies for instance. Default: nothing, and visitors paste
   * an API key.
   */
  offers?: (request: HttpRequest) => Offers | Promise<Offers>
}

/**
 * Makes the option `explore` of `createAnalyticsApi`: a page for queries in the browser, at `/explore` below the path of the
 * API, with an editor, tables, charts, maps and exports. Its files are at `/explore/assets/`. It calls the API alone, with a key
 * that the visitor pastes, which never leaves the tab; what else a host has for its visitors, `offers` says. The page is
 * sent with a Content-Security-Policy by which it loads nothing from other origins and runs no other script.
 *
 * @param options - The name of the service, and what the host has for visitors.
 * @returns The value of the option `explore`.
 * @throws TypeError when an option does not exist.
 *
 * @example
 * ```ts
 * const api = createAnalyticsApi({ ...options, explore: explorePage({ title: 'Acme data', home: '/' }) })
 * createServer(toNodeHandler(api)).listen(8080)
 * ```
 *
 * @example
 * Visitors who are logged in can create a key, which the host answers at `/keys`.
 * ```ts
 * explorePage({
 *   async offers(request) {
 *     const session = await sessions.find(request.header('cookie'))
 *     if (!session) return { account: '/login' }
 *     return { account: '/account', keys: { path: '/keys', token: session.token, reads: [session.company] } }
 *   },
 * })
 * ```
 */
export function explorePage(options: ExploreOptions = {}): Endpoint {
  checkOptions('explorePage', options, { title: true, home: true, offers: true })
  const { title = 'Foldgate', offers = () => ({}) } = options
  return {
    open({ core }) {
      const mount = new URL(core.baseUrl).pathname.replace(/\/$/, '')
      const { hasPointOfView } = core.words
      const { home = mount + PATHS.explore } = options
      const files = filesBelow(mount)
      return {
        async answer(request) {
          if (request.method !== 'GET' && request.method !== 'HEAD')
            throw new AnalyticsError('INVALID_REQUEST', 'This path accepts only GET and HEAD.')
          if (request.path !== mount + PATHS.explore) return files.get(request.path) ?? noFile()
          const offered = await offers(request)
          checkOptions('offers', offered, { account: true, keys: true, queries: true })
          const parts = queryPage({ mount, hasPointOfView, offers: offered })
          const headers = { ...pageHeaders({ connects: true }), 'content-type': 'text/html; charset=utf-8' }
          return answerWith(shell(parts, { mount, title, home }), headers)
        },
      }
    },
  }
}

/** The answers with the files of the page, by their paths: each is one object, so that it is compressed once. */
function filesBelow(mount: string): ReadonlyMap<string, HttpAnswer> {
  return new Map(
    bundled().files.map(({ path, type, text }) => [
      mount + path,
      answerWith(text, {
        'cache-control': FOR_EVER,
        'content-type': type,
        'x-content-type-options': 'nosniff',
      }),
    ]),
  )
}

function answerWith(text: string, headers: Record<string, string>): HttpAnswer {
  const body = Buffer.from(text)
  return { status: 200, headers: { ...headers, 'content-length': String(body.byteLength) }, body: [body] }
}

function noFile(): never {
  throw new AnalyticsError('NOT_FOUND', 'The query page has no such file.')
}
