import { formatInstant } from '../store/instants.js'
import { type Html, html } from './html.js'

const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' })

/** `21 Nov 2026`, in UTC. */
export function dayOf(epochMs: number): string {
  return DAY.format(epochMs)
}

/** The day of an instant, for people and programs. */
export function day(epochMs: number): Html {
  return html`<time datetime="${formatInstant(epochMs)}">${dayOf(epochMs)}</time>`
}

/** The minute of an instant in UTC, for people and programs. */
export function minute(epochMs: number): Html {
  return html`<time datetime="${formatInstant(epochMs)}">${dayOf(epochMs)}, ${CLOCK.format(epochMs)} UTC</time>`
}

/** `1 call`, `1,204 calls`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`
}
