import { Html } from './html.js'

const FOLD =
  '<path d="M4 5.5 14 2v19L4 24.5z" fill="#2f8f6b"/><path d="M14 2l10 3.5v19L14 21z" fill="#1b5f47"/>' +
  '<path d="M14 9.5l10 3.5v4L14 13.5z" fill="#a9dcc4"/>'

/** The logo beside the name. Screen readers skip it, since the name says the same. */
export const MARK = new Html(`<svg class="mark" viewBox="0 0 28 28" aria-hidden="true">${FOLD}</svg>`)

/** The logo as a file: the favicon. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">${FOLD}</svg>`
