import { createHash } from 'node:crypto'
import { Html } from 'foldgate/internal'
import { STYLE } from './style.js'

/**
 * The script of the page that shows a key. It shows the copy buttons, which are hidden without
 * JavaScript, and makes each copy the field that it names. If the Clipboard API is missing (over plain
 * HTTP) or fails, it uses execCommand.
 */
const COPY_SCRIPT = `for (const button of document.querySelectorAll('button[data-copies]')) {
  const field = document.getElementById(button.dataset.copies)
  const said = document.getElementById(button.dataset.says)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(field.value)
      return true
    } catch {
      field.select()
      return document.execCommand('copy')
    }
  }
  button.hidden = false
  button.addEventListener('click', async () => {
    said.textContent = ''
    said.textContent = (await copy()) ? 'Copied' : 'Not copied: select the text and copy it by hand'
  })
}
`

const FOLD =
  '<path d="M4 5.5 14 2v19L4 24.5z" fill="#2f8f6b"/><path d="M14 2l10 3.5v19L14 21z" fill="#1b5f47"/>' +
  '<path d="M14 9.5l10 3.5v4L14 13.5z" fill="#a9dcc4"/>'

/** The logo beside the name. Screen readers skip it, since the name says the same. */
export const MARK = new Html(`<svg class="mark" viewBox="0 0 28 28" aria-hidden="true">${FOLD}</svg>`)

/** The logo as a file: the favicon. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">${FOLD}</svg>`

/** A static file of the pages. Its path contains a hash of its content, so browsers may cache it forever. */
export interface Asset {
  path: string
  type: string
  text: string
}

export const STYLE_ASSET = asset('css', 'text/css; charset=utf-8', STYLE)
export const COPY_ASSET = asset('js', 'text/javascript; charset=utf-8', COPY_SCRIPT)
export const ICON_ASSET = asset('svg', 'image/svg+xml', ICON)

/** Makes an asset whose path contains a hash of its content. */
export function asset(ending: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return { path: `/assets/${hash}.${ending}`, type, text }
}
