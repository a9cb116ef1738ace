import { lowerAscii, type Node } from './shapes.js'
import { referencesIn, type Source, type SourceColumn, type Sources } from './sources.js'

type Place = Pick<SourceColumn, 'source' | 'name'>

/** With more sources or equalities, nothing is told: the work grows with both. */
const [MOST_SOURCES, MOST_EQUALITIES] = [16, 64]

/** How often rows of the sources of a SELECT come, as keys, conditions and groups tell. */
export class Multiplicity {
  /** Whether its joins and conditions do what is not looked at. */
  isUnclear = false
  #sources: Source[] = []
  /** Columns that are equal in all rows. */
  #equal: (readonly [Place, Place])[] = []
  /** Columns with one value in each group, or in all rows. */
  #fixed: Place[] = []
  /** Columns that conditions name, other than those that join, and whether they pick one value. */
  #restricted: (Place & { isOne: boolean })[] = []
  #grain: { found: [string, string] | null } | undefined

  add(source: Source): void {
    this.#sources.push(source)
    if (this.#sources.length > MOST_SOURCES) this.isUnclear = true
  }

  equate(one: Place, other: Place): void {
    this.#equal.push([one, other])
    if (this.#equal.length > MOST_EQUALITIES) this.isUnclear = true
  }

  fix(column: Place): void {
    this.#fixed.push(column)
  }

  /** Takes a condition that all rows meet. */
  meet(node: Node, sources: Sources): void {
    const own = referencesIn(node).flatMap(each => sources.own(each) ?? [])
    const isSubquery = node.class === 'SUBQUERY'
    const [one, other] = [node.left, node.right].map(side => sources.own(side as Node | undefined))
    const isEqual = node.type === 'COMPARE_EQUAL'
    if (isEqual && one && other) {
      this.equate(one, other)
      return
    }
    // A subquery may pick rows by what it compares with those around it, such as the newest of each.
    const picks = (each: Node) => each !== node || each.subquery_type !== 'ANY'
    if (!isEqual && referencesIn(node, 'SUBQUERY').some(picks)) this.isUnclear = true
    // A condition on several sources may leave one row for each, such as a rate that holds on a day.
    if (new Set(own.map(({ source }) => source)).size > 1) this.isUnclear = true
    const isList = node.type === 'COMPARE_IN' && (node.children as Node[]).length === 2
    const isOne = isEqual || isSubquery || isList || node.type === 'OPERATOR_IS_NULL'
    for (const column of own) {
      if (isOne) this.fix(column)
      this.#restricted.push({ ...column, isOne: isOne || node.class === 'COLUMN_REF' })
    }
  }

  /** The same among the rows that meet a condition, too. */
  where(filter: Node | null, sources: Sources): Multiplicity {
    if (!filter) return this
    const some = new Multiplicity()
    some.isUnclear = this.isUnclear
    some.#sources = this.#sources
    some.#equal = [...this.#equal]
    some.#fixed = [...this.#fixed]
    some.#restricted = [...this.#restricted]
    for (const part of filter.type === 'CONJUNCTION_AND' ? (filter.children as Node[]) : [filter])
      some.meet(part, sources)
    return some
  }

  /** Whether a column has one value in each group, or in all rows. */
  isFixed({ source, name }: Place): boolean {
    return this.#known([]).isKnown({ source, name })
  }

  /**
   * The columns of a source that have one value in each group, and those that conditions name; null where groups or conditions
   * name columns of another source, from which these may follow, and where a source is no relation.
   */
  namedOf(source: Source): { columns: string[]; restricted: string[] } | null {
    const all = [...this.#fixed, ...this.#restricted]
    if (all.some(each => each.source !== source) || this.#sources.some(({ base }) => !base)) return null
    const names = (places: readonly Place[]) => [
      ...new Set(places.map(({ name }) => source.columns?.get(name)?.column ?? name)),
    ]
    return { columns: names(this.#fixed), restricted: names(this.#restricted) }
  }

  /** The name of a relation of which several rows meet one row of all these sources; null when there is none. */
  multiplies(of: readonly Source[]): string | null {
    const { determined } = this.#known(of)
    // A relation whose rows a value picks, such as a type or a mark, may have one row for each of another.
    const isPicked = (source: Source) => this.#restricted.some(each => each.isOne && each.source === source)
    const found = this.#sources.find(source => source.base && !determined.has(source) && !isPicked(source))
    return found?.base?.name ?? null
  }

  /** Two relations of a join in which no relation has each of its rows once; null for other joins. */
  withoutGrain(): [string, string] | null {
    this.#grain ??= { found: this.#withoutGrain() }
    return this.#grain.found
  }

  #withoutGrain(): [string, string] | null {
    const [first, ...more] = this.#sources
    if (
      !first?.base ||
      more.length === 0 ||
      this.#sources.some(({ base }) => !base || base.unique.length === 0)
    )
      return null
    if (this.#sources.some(source => this.multiplies([source]) === null)) return null
    const others = more.flatMap(({ base }) => (base && base !== first.base ? base.name : []))
    const met = this.multiplies([first])
    const other = others.find(name => name === met) ?? others[0]
    return other !== undefined && this.#equal.length > 0 ? [first.base.name, other] : null
  }

  /**
   * What follows from one row of these sources. A source whose key is not known counts as one with a row for each, so that
   * nothing is claimed for it.
   */
  #known(of: readonly Source[]) {
    const determined = new Set(of)
    const unclear = ({ base }: Source) => !base || base.unique.length === 0
    for (const source of this.#sources) if (unclear(source) && of.length > 0) determined.add(source)
    const fixed = new Set(this.#fixed.map(each => this.#key(each)))
    const isKnown = (place: Place): boolean =>
      determined.has(place.source) || (!place.source.base && of.length === 0) || fixed.has(this.#key(place))
    for (let isNew = true; isNew; ) {
      isNew = false
      for (const [one, other] of this.#equal)
        for (const [known, found] of [[one, other] as const, [other, one] as const])
          if (isKnown(known) && !isKnown(found)) {
            fixed.add(this.#key(found))
            isNew = true
          }
      for (const source of this.#sources) {
        const { base } = source
        if (!base || determined.has(source) || base.unique.length === 0) continue
        if (!base.unique.every(name => isKnown({ source, name: lowerAscii(name) }))) continue
        determined.add(source)
        isNew = true
      }
    }
    return { determined, isKnown }
  }

  #key({ source, name }: Place): string {
    return `${this.#sources.indexOf(source)} ${name}`
  }
}
