import assert from 'node:assert/strict'

type Fields = Record<string, string | string[]>

/** An answer to a visitor. */
export interface Shown {
  status: number
  headers: Headers
  /** Target of a redirect. */
  location: string | null
  html: string
}

/** A minimal browser: keeps cookies and fills in forms as they are served, but does not follow redirects. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string): Promise<Shown> {
    return this.#send(path, {})
  }

  /** Posts the form on `page` that is sent to `path`, with these fields filled in and these headers added. */
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

  /** Logs in; fails the test if that is refused. */
  async enter({ email, password } = { email: 'ada@example.org', password: 'correct horse' }): Promise<Visitor> {
    const { status, location } = await this.submit('/', '/login', { email, password })
    assert.deepEqual([status, location], [303, '/'])
    return this
  }

  /** The cookies as a header has them. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async #send(path: string, init: RequestInit): Promise<Shown> {
    const { cookie } = this
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

/** The visible text of a page: its content without tags. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
}
