import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { newToken, readSession } from '../store/sessions.js'
import type { Store } from '../store/store.js'
import type { User } from '../store/users.js'

/** The name of the field that every form has. */
export const FORM_TOKEN_FIELD = 'token'

/** One browser at one request. */
export interface Visit {
  /** What its cookie holds: the token of a session, or before the login just something to bind forms to. */
  token: string
  /** What its forms carry, which no other site can read. */
  formToken: string
  /** Who is logged in. */
  user: User | null
}

/** How visits are read and their cookies written. */
export interface Visits {
  /** The visit of a request; a browser without a cookie gets one. */
  read(context: Context): Promise<Visit>
  /** Makes the browser hold this token from now on, or none. */
  keep(context: Context, token: string | null): void
}

/** With `isSecure` cookies go over TLS alone and to this host alone, so that no sibling subdomain can set them. */
export function visits(store: Store, isSecure: boolean): Visits {
  const cookie = isSecure ? '__Host-foldgate' : 'foldgate'

  function keep(context: Context, token: string | null): void {
    // TLS may end at a proxy, which Koa knows nothing of.
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

/** Whether a form was made for this visit. */
export function isOwnForm(form: URLSearchParams, visit: Visit): boolean {
  const [given, own] = [form.get(FORM_TOKEN_FIELD) ?? '', visit.formToken].map(text => Buffer.from(text))
  return given !== undefined && own !== undefined && given.length === own.length && timingSafeEqual(given, own)
}

function formTokenOf(token: string): string {
  return createHmac('sha256', token).update('form').digest('base64url')
}
