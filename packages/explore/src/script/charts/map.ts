import { type GeoProjection, geoGraticule10, geoPath } from 'd3-geo'
import { scaleSqrt } from 'd3-scale'
import { feature } from 'topojson-client'
import type { Topology } from 'topojson-specification'
import { counted, make, onClick } from '../dom.js'
import { numberOf, shortText } from '../values.js'
import { MOST_SERIES } from './choose.js'
import {
  type Facts,
  factsOf,
  type GeoPlace,
  labelOf,
  placesOf,
  type QuantityColumn,
  unitsOf,
  variety,
} from './columns.js'
import { controlOf, type Drawing, followPointers, stageIn } from './drawing.js'
import { heightOf, projectionFor, START, zoomed } from './projection.js'
import { draw, type Hover, legendOf, sizesOf } from './svg.js'
import { titled } from './units.js'

/** Radius of points without a size, in pixels. */
const PLAIN = 5

type Land = ReturnType<typeof feature>
let land: Promise<Land> | null = null

/** The outlines of land, loaded once. */
function loadLand(): Promise<Land> {
  land ??= (async () => {
    const answer = await fetch(new URL('land.json', import.meta.url), { credentials: 'omit' })
    if (!answer.ok) throw new Error(`The outlines of land answered ${answer.status}`)
    const topology = (await answer.json()) as Topology
    if (!topology.objects.land) throw new Error('The outlines of land are missing in their file')
    return feature(topology, topology.objects.land)
  })()
  // A later map tries again.
  land.catch(() => {
    land = null
  })
  return land
}

/** Draws a map in `place`, an empty div, and fills it with controls, a figure and a caption. */
export function mapIn(place: HTMLElement): Drawing {
  let facts: Facts | null = null
  let found: ReturnType<typeof placesOf> = { places: [], without: 0 }
  let [size, colour]: [QuantityColumn | null, string | null] = [null, null]
  let view = START
  let outlines: Land | null = null
  let loading: 'no' | 'yes' | 'failed' = 'no'
  let frame = 0

  const stage = stageIn(place, width => {
    if (loading === 'no') {
      loading = 'yes'
      loadLand().then(
        loaded => {
          outlines = loaded
          later()
        },
        () => {
          loading = 'failed'
          later()
        },
      )
    }
    paint(width)
  })
  /** Draws once per frame, however many events ask for it. */
  const later = () => {
    cancelAnimationFrame(frame)
    if (facts) frame = requestAnimationFrame(() => facts && stage.refresh())
  }
  const names = { size: controlOf('Size', chooseSize), colour: controlOf('Colour', chooseColour) }
  const zoomBy = (factor: number, x = stage.box.clientWidth / 2, y = heightOf(stage.box.clientWidth) / 2) => {
    view = zoomed(view, factor, x, y)
    later()
  }
  const moveBy = (x: number, y: number) => {
    view = { ...view, x: view.x + x, y: view.y + y }
    stage.quiet()
    later()
  }
  const reset = () => {
    view = START
    later()
  }
  const zooms = [
    zoomButton('+', 'Zoom in', () => zoomBy(1.6)),
    zoomButton('−', 'Zoom out', () => zoomBy(1 / 1.6)),
    zoomButton('Reset', 'Reset the map', reset),
  ]
  stage.controls.append(
    names.size.element,
    names.colour.element,
    make('div', { class: 'chart-zoom' }, ...zooms),
  )
  stage.box.classList.add('chart-map')
  followPointers(stage.box, zoomBy, moveBy)

  function chooseSize(name: string): void {
    size = facts?.measures.find(one => `=${one.name}` === name) ?? null
    later()
  }
  function chooseColour(name: string): void {
    colour = name === '' ? null : name.slice(1)
    later()
  }

  function paint(width: number): void {
    if (!facts) return
    const height = heightOf(width)
    const projection = projectionFor(found.places, view, width, height)
    const path = geoPath(projection)
    const svg = draw(
      'svg',
      { class: 'chart-drawing' },
      draw('rect', { width, height, rx: 6, class: 'chart-sea' }),
    )
    svg.append(draw('path', { d: path(geoGraticule10()) ?? '', class: 'chart-graticule' }))
    if (outlines) svg.append(draw('path', { d: path(outlines) ?? '', class: 'chart-land' }))
    const { targets, entries, radius } = spots(projection, width, height, svg)
    const legend = legendOf(colour ?? '', entries, width)
    legend.element.setAttribute('transform', `translate(0 ${height + 14})`)
    const sizes = size
      ? sizesOf(titled(size.name, size.unit), radius, height + 14 + legend.height, width)
      : draw('g')
    const whole = height + 14 + legend.height + (size ? 44 : 0)
    for (const [name, value] of Object.entries({ width, height: whole, viewBox: `0 0 ${width} ${whole}` }))
      svg.setAttribute(name, String(value))
    svg.append(legend.element, sizes)
    stage.present({ svg, targets }, said())
  }

  function spots(projection: GeoProjection, width: number, height: number, svg: SVGSVGElement) {
    const values = new Map(found.places.map(one => [one, size ? Math.abs(numberOf(one.row[size.name])) : 1]))
    const most = Math.max(0, ...[...values.values()].filter(Number.isFinite))
    const radius = scaleSqrt([0, most || 1], [2.5, width < 500 ? 13 : 18])
    const groups =
      colour === null ? [] : [...new Set(found.places.map(({ row }) => labelOf(row[colour ?? ''])))]
    const targets: Hover[] = []
    // The small ones lie on the large ones.
    const order = [...found.places].sort((one, other) => (values.get(other) || 0) - (values.get(one) || 0))
    for (const one of order) {
      const [cx, cy] = projection([one.longitude, one.latitude]) ?? [-1, -1]
      if (!(cx >= 0 && cx <= width && cy >= 0 && cy <= height)) continue
      const r = size ? radius(values.get(one) || 0) : PLAIN
      const slot = colour === null ? 1 : groups.indexOf(labelOf(one.row[colour])) + 1
      svg.append(draw('circle', { cx, cy, r, class: `chart-dot series-${slot}` }))
      targets.push({ left: cx - r, right: cx + r, top: cy - r, bottom: cy + r, ...told(one) })
    }
    return { targets, radius, entries: groups.map((name, at) => ({ name, slot: at + 1 })) }
  }

  function told({ row }: GeoPlace): Pick<Hover, 'title' | 'lines'> {
    const columns = (facts?.columns ?? []).filter(({ kind }) => kind !== 'nested')
    const name = facts?.categories.find(one => /(^|_)name$/i.test(one.name)) ?? facts?.categories[0]
    const isDrawn = (one: string) => one === size?.name || one === colour
    const others = columns.filter(one => one.name !== name?.name)
    const first = [...others.filter(one => isDrawn(one.name)), ...others.filter(one => !isDrawn(one.name))]
    return {
      title: name ? labelOf(row[name.name]) : '',
      lines: first.slice(0, 8).map(column => [column.name, shortText(row[column.name], column)] as const),
    }
  }

  function said(): string {
    const without = size
      ? found.places.filter(({ row }) => Number.isNaN(numberOf(row[size?.name ?? '']))).length
      : 0
    const by = [size && `sized by ${size.name}`, colour !== null && `coloured by ${colour}`].filter(Boolean)
    const notes = [
      `${[counted(found.places.length, 'point'), ...by].join(', ')}.`,
      found.without > 0 && `${counted(found.without, 'row')} without valid coordinates left out.`,
      without > 0 && `${counted(without, 'point')} without a number in ${size?.name} drawn smallest.`,
      loading === 'failed' && 'The outlines of land could not be loaded.',
    ]
    return notes.filter(Boolean).join(' ')
  }

  return {
    offer(columns, rows, told) {
      stage.rows = told
      found = placesOf(columns, rows)
      facts = factsOf(
        columns,
        found.places.map(({ row }) => row),
      )
      if (found.places.length === 0) {
        facts = null
        stage.explain('A map needs rows with a latitude and a longitude.')
        return false
      }
      // Amounts in different units have no common scale.
      const sizes = facts.measures.filter(
        one => !one.unitColumn || unitsOf(rows, one.unitColumn).length === 1,
      )
      const groups = facts.categories.filter(
        one => variety(facts?.rows ?? [], one) > 1 && variety(rows, one) <= MOST_SERIES,
      )
      size = sizes.find(one => one.name === size?.name) ?? sizes[0] ?? null
      colour = (groups.find(({ name }) => name === colour) ?? groups[0])?.name ?? null
      const words = (list: readonly { name: string }[]) => list.map(({ name }) => [`=${name}`, name] as const)
      names.size.offer([['', 'All the same'], ...words(sizes)], size ? `=${size.name}` : '')
      names.colour.offer([['', 'One colour'], ...words(groups)], colour === null ? '' : `=${colour}`)
      view = START
      if (loading === 'failed') loading = 'no'
      stage.refresh()
      return true
    },
    clear() {
      facts = null
      stage.explain('')
    },
  }
}

function zoomButton(text: string, label: string, work: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button', class: 'small', title: label, 'aria-label': label }, text)
  onClick(button, work)
  return button
}
