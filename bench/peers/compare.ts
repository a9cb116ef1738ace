import { median } from '../assessed.js'
import type { ProcessorTime } from './processor.js'

/** One load of one peer. */
export interface Round {
  perSecond: number
  p50Ms: number
  /** Processor time per answer: of the peer's processes, and of the client. */
  processor: ProcessorTime
  clientMs: number
}

/** A way to compare Foldgate with bare in a round, and what the median should be. */
export interface Comparison {
  of(ours: Round, bare: Round): number
  digits: number
  unit: string
  bar: string
  isMet(value: number): boolean
  /** A peer whose answers per second are to be fewer than Foldgate's. */
  above?: string
}

/** The answers per second in % of bare's. */
export function share(atLeast: number, above?: string): Comparison {
  return {
    of: (ours, bare) => (100 * ours.perSecond) / bare.perSecond,
    digits: 0,
    unit: '% of bare',
    bar: `≥ ${atLeast} % of bare${above ? `, above ${above}` : ''}`,
    isMet: value => value >= atLeast,
    ...(above && { above }),
  }
}

/** The p50 in ms above bare's. */
export function msAbove(atMost: number): Comparison {
  return {
    of: (ours, bare) => ours.p50Ms - bare.p50Ms,
    digits: 2,
    unit: 'ms above bare',
    isMet: value => value <= atMost,
    bar: `≤ ${atMost} ms above bare`,
  }
}

/** The processor time per answer in % of bare's, which depends less on the machine and its load than a rate. */
export function processorShare(atMost: number): Comparison {
  const all = ({ processor: { server, guard, engine } }: Round) => server + guard + engine
  return {
    of: (ours, bare) => (100 * all(ours)) / all(bare),
    digits: 1,
    unit: "% of bare's processor time",
    isMet: value => value <= atMost,
    bar: `≤ ${atMost} % of bare's processor time`,
  }
}

/** The p50 as a multiple of bare's, without a bar. */
export const timesP50: Comparison = {
  of: (ours, bare) => ours.p50Ms / bare.p50Ms,
  digits: 2,
  unit: '× the p50 of bare',
  isMet: () => true,
  bar: '',
}

/** Compares the first of the peers with the second: the median of their rounds, the lowest and the highest. */
export function compared(comparison: Comparison, peers: ReadonlyMap<string, Round[]>): { text: string; bar: string } {
  const { of, digits, unit, bar, isMet, above } = comparison
  const [ours = [], bare = []] = peers.values()
  const values = ours.map((round, at) => of(round, bare[at] as Round))
  const [value, from, to] = [median(values), Math.min(...values), Math.max(...values)]
  const perSecond = (rounds: readonly Round[]) => overall(rounds, round => round.perSecond)
  const slower = above === undefined ? [] : peers.get(above)
  const isAbove = !slower?.length || perSecond(ours) > perSecond(slower)
  const outcome = !slower ? 'not taken' : isMet(Number(value.toFixed(digits))) && isAbove ? 'met' : 'missed'
  return {
    text: `${value.toFixed(digits)} (${from.toFixed(digits)} to ${to.toFixed(digits)}) ${unit}`,
    bar: bar && `${bar}: ${outcome}`,
  }
}

/** The median over rounds of a number. */
export function overall(rounds: readonly Round[], of: (round: Round) => number): number {
  return median(rounds.map(of))
}

/** Rate and p50 of a peer. */
export function rateOf(rounds: readonly Round[]): string {
  const perSecond = overall(rounds, round => round.perSecond)
  return `${perSecond.toFixed(0)}/s, p50 ${overall(rounds, round => round.p50Ms).toFixed(2)} ms`
}
