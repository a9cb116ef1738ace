import { html, pageHeaders } from 'foldgate/internal'
import type { Context } from 'koa'
import type Router from 'koa-router'
import type { Store } from '../database/store.js'
import type { KnownNames } from '../input/key-limits.js'
import { actingAs } from '../operation/actor.js'
import type { ServerConfig } from '../settings/config.js'
import type { ServerWords } from '../settings/words.js'
import type { FailedLogin } from '../store/failed-logins.js'
import type { User } from '../store/users.js'
import { MAX_FORM_BYTES, PageError, readForm, refuseNul } from './form.js'
import { layout, type PageLink, type ServerPage } from './layout.js'
import { loginPage } from './login.js'
import { admission, type LimitedRequest, type PageLimits } from './page-limits.js'
import { isOwnForm, type Visit, type Visits, visits } from './session.js'

/** What a package adds to the pages. */
export interface PageAddition {
  /** Adds its pages, which share the limits of these. */
  addPages(pages: PageRoutes, options: PageOptions): void
  /** Its entry in the navigation, behind the keys. */
  link: PageLink
  /**
   * Path and fragment that open a project with a key; browsers send the fragment to no server. Default: the pages open
   * no project.
   */
  opening?(project: string, key: string): string
}

/** What the pages need from the server. */
export interface PageOptions {
  store: Store
  /** Origin under which callers reach the server. With https, browsers send the cookies over TLS only. */
  baseUrl: string
  /** Number of trusted proxies in front of the server, each of which appends to X-Forwarded-For. */
  proxies: number
  /** Reads a setting of a package. Default: every setting has its default. */
  read?: ServerConfig['read']
  /** What they call things. */
  words: ServerWords
  /** Names of the catalogue, which limits of keys are compared with. Default: any name is taken. */
  known?: KnownNames
  /** Limits that differ from the defaults. */
  limits?: Partial<PageLimits>
  /** Called for each login that fails, or is refused after too many attempts. */
  onFailedLogin?: (failed: FailedLogin) => void
  /** What packages add. Default: nothing. */
  added?: readonly Partial<PageAddition>[]
}

/** A visit by a logged-in user. */
export type UserVisit = Visit & { user: User }

/**
 * Registers routes for pages and forms. Each sends the page headers and shows a {@link PageError} as a page.
 */
export interface PageRoutes {
  visits: Visits
  get(path: string, answer: (context: Context, visit: Visit) => Promise<void>): void
  /** A posted form. Posts from other sites are refused here; `answer` has to check the form token. */
  post(path: string, answer: (context: Context, visit: Visit, form: URLSearchParams) => Promise<void>): void
  /** As `get`, for logged-in users; others are redirected to the login. */
  getAsUser(path: string, answer: (context: Context, visit: UserVisit) => Promise<void>): void
  /** As `post`, for logged-in users, and with the form token checked; others are refused. */
  postAsUser(
    path: string,
    answer: (context: Context, visit: UserVisit, form: URLSearchParams) => Promise<void>,
  ): void
  /**
   * As `getAsUser`, for the script of a page: other visitors get a 401. A {@link
   * PageError} is answered as JSON.
   */
  getForScript(path: string, answer: (context: Context, visit: UserVisit) => Promise<void>): void
  /**
   * As `postAsUser`, for the script of a page: a {@link PageError} is answered as JSON, with its `message`.
   */
  postForScript(
    path: string,
    maxBytes: number,
    answer: (context: Context, visit: UserVisit, form: URLSearchParams) => Promise<void>,
  ): void
  /**
   * A file that is the same for all visitors, without the headers of pages. A {@link
   * PageError} is answered as text.
   */
  getFile(path: string, answer: (context: Context) => void): void
}

/** An {@link PageRoutes} that registers its routes on `router`. */
export function pageRoutes(router: Router, options: PageOptions): PageRoutes {
  const { store, baseUrl, proxies, limits, added = [] } = options
  const links = added.flatMap(({ link }) => link ?? [])
  const known = visits(store, baseUrl.startsWith('https:'))
  const open = admission({ clock: store.clock, proxies }, limits)

  const limited = (work: RouteWork, fail: Fail, bytes?: number) => async (context: Context) => {
    context.state.links = links
    const entry = open(context)
    const orFail = (answered: Promise<void>) =>
      answered.catch(error => {
        if (!(error instanceof PageError)) throw error
        if (error.retryAfterSeconds !== null) context.set('Retry-After', String(error.retryAfterSeconds))
        fail(context, error)
      })
    const begin = async () => {
      refuseNul(context)
      await work(context, entry)
    }
    await orFail(begin())
    await orFail(entry.send(bytes))
  }
  const answering = (work: RouteWork, fail: Fail = showError) =>
    limited(async (context, entry) => {
      // Redirects have them too, so that no response to a form is cached.
      context.set(pageHeaders())
      await work(context, entry)
    }, fail)
  const enter = async (context: Context, entry: LimitedRequest) => {
    const visit = await known.read(context)
    await entry.admit(visit)
    return visit
  }
  const receive = async (context: Context, entry: LimitedRequest, maxBytes = MAX_FORM_BYTES) => {
    if (isCrossSite(context, baseUrl))
      throw new PageError(403, 'Another site has sent this form, so nothing was done.')
    const visit = await enter(context, entry)
    return { visit, form: await entry.receive(maxBytes, () => readForm(context, maxBytes)) }
  }
  const get: PageRoutes['get'] = (path, answer) => {
    router.get(
      path,
      answering(async (context, entry) => answer(context, await enter(context, entry))),
    )
  }
  const post: PageRoutes['post'] = (path, answer) => {
    router.post(
      path,
      answering(async (context, entry) => {
        const { visit, form } = await receive(context, entry)
        await asVisitor(visit, () => answer(context, visit, form))
      }),
    )
  }
  return {
    visits: known,
    get,
    post,
    getAsUser: (path, answer) =>
      get(path, async (context, visit) => {
        if (isLoggedIn(visit)) await answer(context, visit)
        else redirect(context, '/')
      }),
    postAsUser: (path, answer) =>
      post(path, async (context, visit, form) => {
        if (!isLoggedIn(visit)) {
          const words = 'You are no longer logged in, so nothing was done: log in and try again.'
          show(context, loginPage(visit, { email: '', words }), 403)
        } else if (isOwnForm(form, visit)) await answer(context, visit, form)
        else throw new PageError(403, 'This form was out of date, and nothing was done: open the page again.')
      }),
    getForScript: (path, answer) => {
      const work = async (context: Context, entry: LimitedRequest) => {
        const visit = await enter(context, entry)
        if (isLoggedIn(visit)) return answer(context, visit)
        context.status = 401
        context.body = {}
      }
      router.get(path, answering(work, sendError))
    },
    postForScript: (path, maxBytes, answer) => {
      const work = async (context: Context, entry: LimitedRequest) => {
        const { visit, form } = await receive(context, entry, maxBytes)
        if (!isLoggedIn(visit))
          throw new PageError(403, 'You are no longer logged in: log in, then reload this page.')
        if (!isOwnForm(form, visit))
          throw new PageError(403, 'This page was out of date, and nothing was done: reload it.')
        await asVisitor(visit, () => answer(context, visit, form))
      }
      router.post(path, answering(work, sendError))
    },
    getFile: (path, answer) => {
      const work = async (context: Context, entry: LimitedRequest) => {
        await entry.admit(null)
        answer(context)
      }
      router.get(path, limited(work, sendErrorText, 0)) // answers share the bytes of the file
    },
  }
}

type RouteWork = (context: Context, entry: LimitedRequest) => Promise<void>
/** Answers a refused request. */
type Fail = (context: Context, error: PageError) => void

/** Answers with a page. */
export function show(context: Context, page: ServerPage, status = 200): void {
  context.set(pageHeaders(page.runs))
  context.status = status
  context.type = 'html'
  context.body = layout(page, context.state.links)
}

/**
 * Answers a form with 303: the browser continues with a GET, so going back or
 * reloading does not submit it again.
 */
export function redirect(context: Context, path: string): void {
  context.status = 303
  context.redirect(path)
}

function showError(context: Context, { message, status }: PageError): void {
  show(context, errorPage(message), status)
}

function sendError(context: Context, { message, status }: PageError): void {
  context.status = status
  context.body = { message }
}

function sendErrorText(context: Context, { message, status }: PageError): void {
  context.remove('Content-Encoding')
  context.set('Cache-Control', 'no-store')
  context.status = status
  context.type = 'text'
  context.body = `${message}\n`
}

/** Runs what a form asks for, on behalf of the user who has sent it. */
function asVisitor(visit: Visit, work: () => Promise<void>): Promise<void> {
  return visit.user === null ? work() : actingAs(visit.user.email, work)
}

function isLoggedIn(visit: Visit): visit is UserVisit {
  return visit.user !== null
}

/**
 * Whether another site sent this request, according to the browser. Browsers send `Sec-Fetch-Site`
 * to secure origins only; without it, an `Origin` must match the `Host` header or the base URL.
 * Without either, the request passes.
 */
function isCrossSite(context: Context, baseUrl: string): boolean {
  const site = context.get('Sec-Fetch-Site')
  if (site !== '') return site !== 'same-origin' && site !== 'none'
  const origin = context.get('Origin')
  if (origin === '' || origin === baseUrl) return false
  return !URL.canParse(origin) || new URL(origin).host !== context.get('Host')
}

/** The page that answers a refused request; `words` says why and what to do. */
function errorPage(words: string): ServerPage {
  return {
    title: 'That did not work',
    main: html`<div class="middle">
<h1>That did not work</h1>
<p class="lead" role="alert">${words}</p>
<p><a class="button main" href="/">Back to your keys</a></p>
</div>`,
  }
}
