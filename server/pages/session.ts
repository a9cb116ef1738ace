import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Store } from '../database/store.js'
import { newToken, readSession } from '../store/sessions.js'
import type { User } from '../store/users.js'

/** Name of the form field that has the form token. */
export const FORM_TOKEN_FIELD = 'token'

/** The browser behind one request. */
export interface Visit {
  /**
   * Value of its cookie: the token of a session, or before the login a random value that forms are bound to.
   */
  token: string
  /** CSRF token of its forms, derived from the cookie; other sites can read neither. */
  formToken: string
  /** The logged-in user, or null. */
  user: User | null
}

/** Reads visits and writes their cookies. */
export interface Visits {
  /** The visit of a request. A browser without a valid cookie is given one. */
  read(context: Context): Promise<Visit>
  /** Sets the cookie to this token; null deletes it. */
  keep(context: Context, token: string | null): void
}

/**
 * With `isSecure`, cookies go over TLS only and have the `__Host-` prefix, so that
 * no other subdomain can set them.
 */
export function visits(store: Store, isSecure: boolean): Visits {
  const cookie = isSecure ? '__Host-foldgate' : 'foldgate'

  function keep(context: Context, token: string | null): void {
    // TLS may end at a proxy, so Koa may take the connection for plain HTTP.
    context.cookies.secure = isSecure
    context.cookies.set(cookie, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure,
      overwrite: true,
    })
  }
  return {
    keep,
    async read(context) {
      const held = context.cookies.get(cookie)
      const token = held !== undefined && /^[\w-]{43}$/.test(held) ? held : newToken()
      if (token !== held) keep(context, token)
      return { token, formToken: formTokenOf(token), user: await readSession(store, token) }
    },
  }
}

/** Whether a form has the token of this visit. */
export function isOwnForm(form: URLSearchParams, visit: Visit): boolean {
  const [given, own] = [form.get(FORM_TOKEN_FIELD) ?? '', visit.formToken].map(text => Buffer.from(text))
  return (
    given !== undefined && own !== undefined && given.length === own.length && timingSafeEqual(given, own)
  )
}

function formTokenOf(token: string): string {
  return createHmac('sha256', token).update('form').digest('base64url')
}
