import { html } from 'foldgate/internal'
import { bundled } from './bundled.js'
import type { PageParts } from './page.js'

/** What the page of a host has around the parts of the query page. */
interface Around {
  /** Path at which the API is mounted; empty at the root. */
  mount: string
  title: string
  /** Path to which the title links. */
  home: string
}

/** The document of a page on a host, whose header has its name alone. */
export function shell({ head, bar, main }: PageParts, { mount, title, home }: Around): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Query · ${title}</title>
<link rel="stylesheet" href="${mount}${bundled().pathOf('base.css')}">
${head}
</head>
<body class="wide">
<header class="top">
<a class="brand" href="${home}">${title}</a>
${bar}
</header>
<main>
${main}
</main>
</body>
</html>
`.text
}
