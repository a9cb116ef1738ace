import { COUNTRIES } from './countries.js'
import { madeUpCompany, madeUpHolding, madeUpPlace } from './names.js'
import type { Plan } from './plans.js'
import { type Draw, drawFrom } from './random.js'

/** One holder of an entity; an entity with two holders has two of these, which differ in parent and share. */
export interface EntityHolder {
  key: string
  parent: string | null
  name: string
  kind: 'group' | 'portfolio' | 'country' | 'parent' | 'company' | 'asset'
  iso3: string | null
  share: number
  basis: string
}

/** A place for a site: its entity, its country and its name. */
export interface Seat {
  entity: string
  iso3: string
  place: string
}

const STAKES = [0.5, 0.51, 0.49, 0.75, 0.6, 0.4, 0.25, 0.9, 0.333, 0.125]
/**
 * Share of entities with two holders, of companies below a holding, and of
 * companies that only hold another one.
 */
const JOINT = 0.1
const LAYERED = 0.4
const NESTED = 0.15
/** Number of companies in a holding before the next one starts. */
const GATHERED = 6

/**
 * Draws the tree of a project: root, countries, holdings, companies and, if the
 * plan says so, one asset per site.
 */
export function growTree(plan: Plan): { holdings: EntityHolder[]; seats: Seat[] } {
  const draw = drawFrom(`companies/${plan.key}`)
  const holdings: EntityHolder[] = []
  const seats: Seat[] = []
  const add = (holding: Omit<EntityHolder, 'key'>): string => {
    const key = `${plan.key}-${holdings.length}`
    holdings.push({ key, ...holding })
    return key
  }
  const root = add({
    parent: null,
    name: plan.rootName,
    kind: plan.rootKind,
    iso3: null,
    share: 1,
    basis: 'root',
  })
  for (const [iso3, sites] of spread(plan)) {
    const name = COUNTRIES.get(iso3)?.name ?? iso3
    const country = add({ parent: root, name, kind: 'country', iso3, share: 1, basis: 'grouping' })
    settle({ plan, draw, country, iso3, sites, add, holdings, seats })
  }
  return { holdings, seats }
}

interface Ground {
  plan: Plan
  draw: Draw
  country: string
  iso3: string
  sites: number
  add(holding: Omit<EntityHolder, 'key'>): string
  holdings: EntityHolder[]
  seats: Seat[]
}

/** Fills one country with companies until its sites are placed. */
function settle(ground: Ground): void {
  const { plan, draw, country, iso3, add } = ground
  const uppers: string[] = []
  let gathered = 0
  const upper = () => {
    const last = uppers.at(-1)
    if (last !== undefined && gathered++ % GATHERED !== 0) return last
    const kind = plan.assets ? 'company' : 'parent'
    const made = add({ parent: country, name: madeUpHolding(draw), kind, iso3, ...stake(ground) })
    uppers.push(made)
    return made
  }
  for (let left = ground.sites; left > 0; ) {
    const parent = draw.chance(LAYERED) ? upper() : country
    let holder = own(ground, parent, plan.assets ? [] : uppers)
    // Only below a holding and only without assets: at most four levels below the root.
    if (!plan.assets && parent !== country && draw.chance(NESTED)) holder = own(ground, holder, [])
    const size = Math.min(left, Math.round(draw.skewed(1, plan.largest)))
    for (let at = 0; at < size; at++) seat(ground, holder, uppers)
    left -= size
  }
}

function stake({ plan, draw }: Ground): Pick<EntityHolder, 'share' | 'basis'> {
  if (draw.chance(plan.whole)) return { share: 1, basis: 'made up: whole' }
  const share = draw.chance(0.5) ? draw.pick(STAKES) : Math.round(draw.between(0.05, 0.98) * 1000) / 1000
  return { share, basis: 'made up: part' }
}

function own(ground: Ground, parent: string, partners: readonly string[]): string {
  const name = madeUpCompany(ground.draw)
  return hold(ground, { parent, name, kind: 'company', iso3: ground.iso3, ...stake(ground) }, partners)
}

function seat(ground: Ground, holder: string, partners: readonly string[]): void {
  const { plan, draw, iso3, seats } = ground
  const place = madeUpPlace(draw)
  const asset = { parent: holder, name: `${place} site`, kind: 'asset' as const, iso3, ...stake(ground) }
  seats.push({ entity: plan.assets ? hold(ground, asset, partners) : holder, iso3, place })
}

/** Adds an entity, sometimes as a joint venture of its parent and one of `partners`. */
function hold(
  { draw, add, holdings }: Ground,
  holding: Omit<EntityHolder, 'key'>,
  partners: readonly string[],
): string {
  const others = partners.filter(partner => partner !== holding.parent)
  if (!draw.chance(JOINT) || others.length === 0) return add(holding)
  const joint = { ...holding, basis: 'made up: joint venture' }
  const key = add({ ...joint, share: Math.round(draw.between(0.2, 0.55) * 1000) / 1000 })
  const share = Math.round(draw.between(0.1, 0.44) * 1000) / 1000
  holdings.push({ key, ...joint, parent: draw.pick(others), share })
  return key
}

/** Spreads the sites over the countries of a plan: the first get the most, and each gets at least one. */
function spread(plan: Plan): [iso3: string, sites: number][] {
  const codes = plan.countries.split(' ')
  const weights = codes.map((_, at) => 1 / (at + 3))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const counts = weights.map(weight => Math.max(1, Math.floor((plan.sites * weight) / sum)))
  const rest = plan.sites - counts.reduce((total, count) => total + count, 0)
  return codes.map((iso3, at) => [iso3, (counts[at] ?? 0) + (at === 0 ? rest : 0)])
}
