import type { Context } from 'koa'
import type Router from 'koa-router'
import type { Store } from '../store/store.js'
import type { User } from '../store/users.js'
import { errorPage } from './error.js'
import { PageError, readForm } from './form.js'
import { layout, type Page, pageHeaders } from './layout.js'
import { loginPage } from './login.js'
import { isCrossSite } from './origin.js'
import { isOwnForm, type Visit, type Visits, visits } from './session.js'

/** What the pages need of the server. */
export interface PageOptions {
  store: Store
  /** Origin under which callers reach the server; with https cookies go over TLS alone. */
  baseUrl: string
  /** Proxies in front of the server that tell the address of who calls. */
  proxies: number
}

/** A visit of somebody who is logged in. */
export type UserVisit = Visit & { user: User }

/** Registers pages and forms; each answers with headers of its own and turns a {@link PageError} into a page. */
export interface Exchange {
  visits: Visits
  get(path: string, answer: (context: Context, visit: Visit) => Promise<void>): void
  /** A form of a visit; one of another site, or made for another visit, is answered here. */
  post(path: string, answer: (context: Context, visit: Visit, form: URLSearchParams) => Promise<void>): void
  /** The same for who is logged in; nobody else gets that far. */
  getAsUser(path: string, answer: (context: Context, visit: UserVisit) => Promise<void>): void
  postAsUser(path: string, answer: (context: Context, visit: UserVisit, form: URLSearchParams) => Promise<void>): void
}

/** Pages on a router. */
export function exchange(router: Router, { store, baseUrl }: PageOptions): Exchange {
  const known = visits(store, baseUrl.startsWith('https:'))

  const answering = (work: (context: Context) => Promise<void>) => async (context: Context) => {
    // A redirect has them too: nothing that a form has led to is kept.
    context.set(pageHeaders())
    try {
      await work(context)
    } catch (error) {
      if (!(error instanceof PageError)) throw error
      show(context, errorPage(error.message), error.status)
    }
  }
  const get: Exchange['get'] = (path, answer) => {
    router.get(
      path,
      answering(async context => answer(context, await known.read(context))),
    )
  }
  const post: Exchange['post'] = (path, answer) => {
    router.post(
      path,
      answering(async context => {
        if (isCrossSite(context, baseUrl))
          throw new PageError(403, 'Another site has sent this form, so nothing was done.')
        const form = await readForm(context)
        await answer(context, await known.read(context), form)
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
          const words = 'You are not logged in any more, and nothing was done: log in and try again.'
          show(context, loginPage(visit, { email: '', words }), 403)
        } else if (isOwnForm(form, visit)) await answer(context, visit, form)
        else throw new PageError(403, 'This form was out of date, and nothing was done: open the page again.')
      }),
  }
}

/** Answers with a page. */
export function show(context: Context, page: Page, status = 200): void {
  context.set(pageHeaders(page))
  context.status = status
  context.type = 'html'
  context.body = layout(page)
}

/** Answers a form that has done its work: the browser goes on with a GET, so that going back or reloading repeats nothing. */
export function redirect(context: Context, path: string): void {
  context.status = 303
  context.redirect(path)
}

function isLoggedIn(visit: Visit): visit is UserVisit {
  return visit.user !== null
}
