/** The element with this id. Throws if the page has none of this type. */
export function find<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`The page has no ${type.name} with the id ${id}`)
}

/** Creates an element. A function becomes a listener (`onclick`); true sets an empty attribute, false leaves it out. */
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
