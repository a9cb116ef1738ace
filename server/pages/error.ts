import { html } from './html.js'
import type { Page } from './layout.js'

/** The page that answers a refused request; `words` says why and what to do. */
export function errorPage(words: string): Page {
  return {
    title: 'That did not work',
    main: html`<div class="middle">
<h1>That did not work</h1>
<p class="lead" role="alert">${words}</p>
<p><a class="button main" href="/">Back to your keys</a></p>
</div>`,
  }
}
