import { find, show } from './dom.js'
import { recall, remember } from './tab.js'

/**
 * A pane that a separator resizes and folds, and the custom
 * property of the workspace that has its size in pixels.
 */
interface Split {
  id: 'shelf' | 'asking'
  property: string
  axis: 'x' | 'y'
  least: number
  /** The largest size, as a part of the workspace. */
  most: number
  initial: number
}

const SPLITS: readonly Split[] = [
  { id: 'shelf', property: '--shelf', axis: 'x', least: 180, most: 0.5, initial: 272 },
  { id: 'asking', property: '--asking', axis: 'y', least: 150, most: 0.75, initial: 260 },
]
const STEP = 24
const FOLDED = 'folded'

/** Lets the separators of the workspace resize and fold its panes, by pointer and by keyboard. */
export function openPanes(): void {
  for (const split of SPLITS) resizable(split)
  closeMenus()
}

function resizable({ id, property, axis, least, most, initial }: Split): void {
  const workspace = find('workspace')
  const bar = find(`split-${id}`)
  const button = find(`fold-${id}`)
  const size = () => Number.parseFloat(workspace.style.getPropertyValue(property))
  const room = () => (axis === 'x' ? innerWidth : innerHeight)

  function set(pixels: number): void {
    const wanted = Math.round(Math.min(Math.max(pixels, least), Math.max(least, room() * most)))
    workspace.style.setProperty(property, `${wanted}px`)
    bar.setAttribute('aria-valuenow', String(wanted))
    remember(id, String(wanted))
  }
  function fold(isFolded: boolean): void {
    workspace.classList.toggle(`no-${id}`, isFolded)
    bar.title = isFolded
      ? 'Double-click or press Enter to unfold'
      : 'Drag to resize; double-click or press Enter to fold'
    button.setAttribute('aria-expanded', String(!isFolded))
    remember(id, isFolded ? FOLDED : String(size()))
  }

  const kept = recall(id)
  set(Number(kept) || initial)
  fold(kept === FOLDED)
  bar.setAttribute('aria-valuemin', String(least))
  bar.setAttribute('aria-valuemax', String(Math.round(Math.max(least, room() * most))))
  const toggle = () => fold(!workspace.classList.contains(`no-${id}`))
  button.addEventListener('click', toggle)
  bar.addEventListener('dblclick', toggle)
  bar.addEventListener('pointerdown', event => {
    bar.setPointerCapture(event.pointerId)
    event.preventDefault()
  })
  bar.addEventListener('pointermove', event => {
    if (!bar.hasPointerCapture(event.pointerId)) return
    const edge = workspace.getBoundingClientRect()
    fold(false)
    // A pane is larger than it was drawn when it has more to show.
    const more = Math.max(0, find(id).getBoundingClientRect()[axis === 'x' ? 'width' : 'height'] - size())
    set((axis === 'x' ? event.clientX - edge.left : event.clientY - edge.top) - more)
  })
  bar.addEventListener('keydown', event => {
    const [less, more] = axis === 'x' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
    if (event.key === 'Enter') toggle()
    else if (event.key === less) set(size() - STEP)
    else if (event.key === more) set(size() + STEP)
    else if (event.key === 'Home') set(least)
    else if (event.key === 'End') set(room() * most)
    else return
    event.preventDefault()
  })
}

/** Closes an open menu on Escape, and when the focus or a click goes elsewhere. */
function closeMenus(): void {
  const open = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')
  const leave = (event: Event) => {
    for (const menu of open())
      if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false
  }
  document.addEventListener('pointerdown', leave)
  document.addEventListener('focusin', leave)
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    for (const menu of open()) {
      const isInside = menu.contains(document.activeElement)
      menu.open = false
      if (isInside) menu.querySelector('summary')?.focus()
    }
  })
}

/** Name of a tab of the results: `tab-x` shows `panel-x`. */
export type Tab = 'table' | 'chart' | 'map' | 'json' | 'call' | 'compare'

/** Tabs over panels. Disabled tabs cannot be chosen. */
export interface Tabs {
  /** Lets a tab be chosen or not. When it is the chosen one, the first takes its place. */
  allow(name: Tab, isAllowed: boolean): void
  /** Shows the panel of the chosen tab, or none. */
  show(isShown: boolean): void
}

/** Manages the tabs of the results; `onShow` is called whenever a panel is shown. */
export function openTabs(names: readonly [Tab, ...Tab[]], onShow: (name: Tab) => void): Tabs {
  const tabs = names.map(name => find(`tab-${name}`))
  let [chosen] = names
  let isShown = false

  function render(): void {
    for (const [at, name] of names.entries()) {
      const isChosen = name === chosen
      tabs[at]?.setAttribute('aria-selected', String(isChosen))
      tabs[at]?.setAttribute('tabindex', isChosen ? '0' : '-1')
      show(isShown && isChosen, find(`panel-${name}`))
    }
    if (isShown) onShow(chosen)
  }
  function choose(at: number): void {
    if (tabs[at]?.disabled !== false) return
    chosen = names[at] ?? chosen
    render()
  }
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(at))
    tab.addEventListener('keydown', event => {
      const allowed = tabs.filter(each => !each.disabled)
      const from = allowed.indexOf(tab)
      const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: -1 }[event.key]
      if (to === undefined) return
      event.preventDefault()
      const next = allowed.at(to % allowed.length)
      if (!next) return
      choose(tabs.indexOf(next))
      next.focus()
    })
  }
  return {
    allow(name, isAllowed) {
      const at = names.indexOf(name)
      const tab = tabs[at]
      if (tab) tab.disabled = !isAllowed
      if (!isAllowed && chosen === name) choose(0)
    },
    show(shown) {
      isShown = shown
      render()
    },
  }
}
