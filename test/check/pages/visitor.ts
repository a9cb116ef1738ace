import assert from 'node:assert/strict'
import { ADA } from './site.js'

type Fields = Record<string, string | string[]>

/** An answer to a visitor. */
export interface Shown {
  status: number
  headers: Headers
  /** Where a redirect leads to. */
  location: string | null
  html: string
}

/** A browser without a screen: keeps cookies, fills forms in as they are served, and follows no redirect by itself. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string): Promise<Shown> {
    return this.#send(path, {})
  }

  /** Posts a form as it stands in the page at `page`, with these fields filled in, and these headers besides. */
  async submit(page: string, path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Shown> {
    const { html } = await this.get(page)
    return this.post(path, { ...hiddenFields(html, path), ...fields }, headers)
  }

  /** Posts these fields and nothing else. */
  async post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Shown> {
    const body = new URLSearchParams()
    for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value)
    return this.#send(path, { method: 'POST', body, headers })
  }

  /** Logs in, which has to work. */
  async enter({ email, password } = ADA): Promise<Visitor> {
    const { status, location } = await this.submit('/', '/login', { email, password })
    assert.deepEqual([status, location], [303, '/'])
    return this
  }

  async #send(path: string, init: RequestInit): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(`${this.#url}${path}`, { ...init, headers, redirect: 'manual' })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return { status: response.status, headers: response.headers, location, html: await response.text() }
  }
}

/** The hidden fields of the form that is sent to `path`. */
export function hiddenFields(html: string, path: string): Record<string, string> {
  const [, form = ''] = new RegExp(`<form[^>]* action="${path}"[^>]*>(.*?)</form>`, 's').exec(html) ?? []
  const fields = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)">/g)
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]))
}

/** What a page says to people: its texts without tags. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
}
