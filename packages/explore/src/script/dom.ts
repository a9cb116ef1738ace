import type { Tags } from '../element-ids.js'

/** The element with this id. Throws if the page lacks it. */
export function find<Id extends keyof Tags>(id: Id): HTMLElementTagNameMap[Tags[Id]] {
  const element = findOffered(id)
  if (element) return element
  throw new Error(`The page has no element with the id ${id}`)
}

/**
 * The element with this id; null where the page does not have
 * it, as some are only there when the host offers what they are for.
 */
export function findOffered<Id extends keyof Tags>(id: Id): HTMLElementTagNameMap[Tags[Id]] | null {
  return document.getElementById(id) as HTMLElementTagNameMap[Tags[Id]] | null
}

/** URL under which this page reaches the API. */
export function apiUrl(): string {
  return location.origin + (find('workspace').dataset.mount ?? '')
}

/**
 * Creates an element. A function becomes a listener (`onclick`);
 * true sets an empty attribute, false leaves it out.
 */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | boolean | (() => void)>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice('on'.length), value)
    else if (value !== false) element.setAttribute(key, value === true ? '' : String(value))
  }
  element.append(...children)
  return element
}

/** Shows or hides elements. */
export function show(isShown: boolean, ...elements: HTMLElement[]): void {
  for (const element of elements) element.hidden = !isShown
}

/** `1 row`, `1,204 rows`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`
}

/** Calls `work` on each click. A failure is a bug and goes to the console. */
export function onClick(element: HTMLElement, work: () => unknown): void {
  element.addEventListener('click', () => void work())
}

/** Work of which only the latest run counts: each start aborts the one before. */
export interface Latest {
  start(): AbortSignal
  stop(): void
}

/** A {@link Latest} that has not started. */
export function latest(): Latest {
  let running: AbortController | undefined
  const stop = () => running?.abort()
  return {
    stop,
    start() {
      stop()
      running = new AbortController()
      return running.signal
    },
  }
}

/** A text to copy, perhaps with the same as HTML. */
type Copied = string | { text: string; html: string }

/** Copies what `read` returns on each click and says so on the button for two seconds. */
export function copies(button: HTMLButtonElement, read: () => Copied): void {
  const { textContent: words } = button
  let timer: ReturnType<typeof setTimeout> | undefined
  onClick(button, async () => {
    const isCopied = await copy(read())
    button.textContent = isCopied ? 'Copied' : 'The browser does not let this page copy'
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = words
    }, 2000)
  })
}

/**
 * Browsers have a clipboard only where the page came over TLS
 * or from the same machine; elsewhere, a field is copied.
 */
async function copy(copied: Copied): Promise<boolean> {
  const { text, html = null } = typeof copied === 'string' ? { text: copied } : copied
  if (navigator.clipboard) {
    const written = html === null ? navigator.clipboard.writeText(text) : writeBoth(text, html)
    return written.then(
      () => true,
      () => false,
    )
  }
  const focused = document.activeElement
  const field = make('textarea', { class: 'unseen', 'aria-hidden': true })
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

function writeBoth(text: string, html: string): Promise<void> {
  const parts = { 'text/plain': text, 'text/html': html }
  const blobs = Object.entries(parts).map(([type, part]) => [type, new Blob([part], { type })])
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
}
