import { type GeoProjection, geoGraticule10, geoMercator, geoNaturalEarth1, geoPath } from 'd3-geo'
import { scaleSqrt } from 'd3-scale'
import { feature } from 'topojson-client'
import type { Topology } from 'topojson-specification'
import { counted, make, onClick } from '../dom.js'
import { numberOf, shortText } from '../values.js'
import { MOST_SERIES } from './choose.js'
import {
  type Facts,
  factsOf,
  labelOf,
  type Measure,
  type Place,
  placesOf,
  unitsOf,
  variety,
} from './columns.js'
import { controlOf, type Drawing, followPointers, stageIn } from './drawing.js'
import { draw, legendOf, sizesOf, type Target } from './svg.js'
import { titled } from './units.js'

/** What is zoomed and moved: a factor, and pixels to the right and down. */
interface View {
  zoom: number
  x: number
  y: number
}

const START: View = { zoom: 1, x: 0, y: 0 }
const MOST_ZOOM = 64
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
  let [size, colour]: [Measure | null, string | null] = [null, null]
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
    const zoom = Math.min(MOST_ZOOM, Math.max(1 / 4, view.zoom * factor))
    const real = zoom / view.zoom
    view = { zoom, x: x - (x - view.x) * real, y: y - (y - view.y) * real }
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
    const projection = projectionFor(found.places, width, height)
    const [x, y] = projection.translate()
    projection
      .scale(projection.scale() * view.zoom)
      .translate([x * view.zoom + view.x, y * view.zoom + view.y])
    projection.clipExtent([
      [0, 0],
      [width, height],
    ])
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
    const targets: Target[] = []
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

  function told({ row }: Place): Pick<Target, 'title' | 'lines'> {
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
    offer(columns, rows) {
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

function heightOf(width: number): number {
  return Math.round(Math.min(520, Math.max(280, width * 0.52)))
}

/** Points that are close together fill the map; those around the world lie on all of it. */
function projectionFor(places: readonly Place[], width: number, height: number): GeoProjection {
  const [longitudes, latitudes] = [places.map(one => one.longitude), places.map(one => one.latitude)]
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  if (east - west > 110 || north - south > 90 || Math.max(north, -south) > 80)
    return geoNaturalEarth1().fitExtent(
      [
        [6, 6],
        [width - 6, height - 6],
      ],
      { type: 'Sphere' },
    )
  // The outlines are too coarse for a smaller part of the world than this.
  const [wide, high] = [Math.max(4, (east - west) / 2), Math.max(3, (north - south) / 2)]
  const [across, up] = [(west + east) / 2, (south + north) / 2]
  const corners = [-1, 1].flatMap(x => [-1, 1].map(y => [across + x * wide, up + y * high]))
  return geoMercator()
    .rotate([-across, 0])
    .fitExtent(
      [
        [32, 32],
        [width - 32, height - 32],
      ],
      { type: 'MultiPoint', coordinates: corners },
    )
}

function zoomButton(text: string, label: string, work: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button', class: 'small', title: label, 'aria-label': label }, text)
  onClick(button, work)
  return button
}
