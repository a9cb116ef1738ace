import { ICON_ASSET, STYLE_ASSET } from './assets.js'
import { type Html, html } from './html.js'
import { MARK } from './icon.js'
import { FORM_TOKEN_FIELD, type Visit } from './session.js'

/** A page of the server. */
export interface Page {
  title: string
  /** Whose page it is; without one nobody can log out on it. */
  visit?: Visit
  main: Html
  /** What of it runs in the browser; without it no script does. */
  runs?: Running
  /** Where it is among the pages that every page leads to. */
  at?: 'keys' | 'explore'
}

/** The part of a page that runs in the browser. */
export interface Running {
  /** What names the scripts, and whatever else they need. */
  head: Html
  /** Whether the scripts call this server. */
  connects: boolean
}

/** The headers of a page: nothing of it is kept, framed or loaded from elsewhere, and no script runs but our own. */
export function pageHeaders({ runs }: Pick<Page, 'runs'> = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    // No text becomes markup or code, ours neither.
    ...(runs ? ["script-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
    ...(runs?.connects ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // With "no-referrer" browsers send "Origin: null" with our own forms, and it could not be told from a foreign one.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}

/** The whole document. */
export function layout({ title, visit, main, runs, at }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Foldgate</title>
<link rel="icon" href="${ICON_ASSET.path}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_ASSET.path}">
${runs?.head}
</head>
<body${at === 'explore' && html` class="wide"`}>
<header class="top">
<a class="brand" href="/">${MARK}<span>Foldgate</span></a>
<nav class="pages" aria-label="Pages">${PAGES.map(page => link(page, page.at === at))}</nav>
${visit?.user && whoIsIn(visit.user.email, visit)}
</header>
<main>
${main}
</main>
<footer>
<p>Foldgate opens sealed analytics to callers with a key. What they may call:
<a href="/public/v1/description.json">the description of the API</a>.</p>
</footer>
</body>
</html>
`.text
}

/** The field that binds a form to its visit. */
export function tokenField(visit: Visit): Html {
  return html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${visit.formToken}">`
}

/** A word about what went wrong or well, above what it is about. */
export function notice(kind: 'error' | 'done', words: Html | string): Html {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${words}</p>`
}

const PAGES = [
  { at: 'keys', path: '/', words: 'Keys' },
  { at: 'explore', path: '/explore', words: 'Query' },
]

function link({ path, words }: { path: string; words: string }, isHere: boolean): Html {
  return html`<a href="${path}"${isHere && html` aria-current="page"`}>${words}</a>`
}

function whoIsIn(email: string, visit: Visit): Html {
  return html`<form class="who" method="post" action="/logout">
${tokenField(visit)}
<span class="email"><span class="unseen">Logged in as </span>${email}</span>
<button class="quiet" type="submit">Log out</button>
</form>`
}
