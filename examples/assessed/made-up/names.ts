import type { Draw } from './random.js'

const HEADS =
  'Brind Quorv Thrum Snarl Wuth Plov Gorm Skelb Yarp Dunv Hasq Imbr Jorl Klith Lumb Morv Nasq Obr Pelv Rusq Sturv Tolv ' +
  'Umbr Vasq Wexl Zarn Brax Culd Dreth Fenq Grith Hulv Krumb Lorv Nurl Ploom \u00d8lst Str\u00f6v \u00c9mbr'
const MIDDLES = 'le ing er o an iz ul eth ow'
const TAILS =
  'moor fen wick holt stow mere combe garth thwaite dell barrow shaw vale haven ridge rook beck marsh'

const heads = HEADS.split(' ')
const middles = MIDDLES.split(' ')
const tails = TAILS.split(' ')

/** Invents a place name from syllables; about 6 000 are possible. */
export function madeUpPlace(draw: Draw): string {
  return draw.pick(heads) + draw.pick(middles) + draw.pick(tails)
}

const TRADES = [
  'Power',
  'Works',
  'Energy',
  'Resources',
  'Utilities',
  'Industries',
  'Partners',
  'Trading, Ltd',
  '"Old Forge"',
]

/** Invents a company name, marked as made up. */
export function madeUpCompany(draw: Draw): string {
  return `${madeUpPlace(draw)} ${draw.pick(TRADES)} (made up)`
}

/** Invents a holding name, marked as made up. */
export function madeUpHolding(draw: Draw): string {
  return `${madeUpPlace(draw)} Holdings (made up)`
}
