import { type Html, html } from 'foldgate/internal'
import { ICON_ASSET, MARK, STYLE_ASSET } from './assets.js'
import { FORM_TOKEN_FIELD, type Visit } from './session.js'

/** A page of the server. */
export interface ServerPage {
  title: string
  /** The visit that the page is for. Without one, the page has no log-out button. */
  visit?: Visit
  main: Html
  /**
   * What the header has between the navigation and the user, instead of the width
   * of the other pages and a footer.
   */
  bar?: Html
  /** Its scripts. Without it, the content security policy allows none. */
  runs?: PageScripts
  /** Its entry in the navigation. */
  at?: string
}

/** The part of a page that runs in the browser. */
export interface PageScripts {
  /** Elements for the head: the scripts and what they need. */
  head: Html
  /** Whether the scripts call this server. */
  connects: boolean
}

/** Renders the whole document; its navigation has these links behind its own. */
export function layout(
  { title, visit, main, bar, runs, at }: ServerPage,
  links: readonly PageLink[] = [],
): string {
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
<body${bar && html` class="wide"`}>
<header class="top">
<a class="brand" href="/">${MARK}<span>Foldgate</span></a>
<nav class="pages" aria-label="Pages">${[...PAGES, ...links].map(page => link(page, page.at === at))}</nav>
${bar}
${visit?.user && whoIsIn(visit.user.email, visit)}
</header>
<main>
${main}
</main>
${!bar && FOOTER}
</body>
</html>
`.text
}

const FOOTER = html`<footer>
<p>Foldgate serves sealed analytics to callers with a key. What they can call:
<a href="/public/v1/description.json">the description of the API</a>.</p>
</footer>`

/** The hidden field whose token binds a form to its visit. */
export function tokenField(visit: Visit): Html {
  return html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${visit.formToken}">`
}

/** A message about what failed or succeeded, for the top of a section. */
export function notice(kind: 'error' | 'done', words: Html | string): Html {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${words}</p>`
}

/** An entry in the navigation. */
export interface PageLink {
  /** What its pages have as `at`. */
  at: string
  path: string
  words: string
}

const PAGES: readonly PageLink[] = [{ at: 'keys', path: '/', words: 'Keys' }]

function link({ path, words }: PageLink, isHere: boolean): Html {
  return html`<a href="${path}"${isHere && html` aria-current="page"`}>${words}</a>`
}

function whoIsIn(email: string, visit: Visit): Html {
  return html`<form class="who" method="post" action="/logout">
${tokenField(visit)}
<span class="email"><span class="unseen">Logged in as </span>${email}</span>
<a href="/password">Password</a>
<button class="quiet" type="submit">Log out</button>
</form>`
}
