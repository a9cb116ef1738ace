import { type Html, html } from 'foldgate/internal'
import { formatInstant } from '../input/instants.js'

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' })

/** `21 Nov 2026`, in UTC. */
export function dayOf(epochMs: number): string {
  return DAY.format(epochMs)
}

/** A `<time>` element that shows the day in UTC. */
export function day(epochMs: number): Html {
  return html`<time datetime="${formatInstant(epochMs)}">${dayOf(epochMs)}</time>`
}

/** A `<time>` element that shows the day and minute in UTC. */
export function minute(epochMs: number): Html {
  return html`<time datetime="${formatInstant(epochMs)}">${dayOf(epochMs)}, ${CLOCK.format(epochMs)} UTC</time>`
}

/** `1 call`, `1,204 calls`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`
}
