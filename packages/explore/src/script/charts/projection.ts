import { type GeoProjection, geoMercator, geoNaturalEarth1 } from 'd3-geo'
import type { GeoPlace } from './columns.js'

/** How far the reader has zoomed and moved a map: a factor, and pixels to the right and down. */
export interface MapView {
  zoom: number
  x: number
  y: number
}

export const START: MapView = { zoom: 1, x: 0, y: 0 }
const LEAST_ZOOM = 1 / 4
const MOST_ZOOM = 64

/** The view after zooming by a factor around a point, which stays where it is. */
export function zoomed(view: MapView, factor: number, x: number, y: number): MapView {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, view.zoom * factor))
  const real = zoom / view.zoom
  return { zoom, x: x - (x - view.x) * real, y: y - (y - view.y) * real }
}

/** The height of a map of this width, in pixels. */
export function heightOf(width: number): number {
  return Math.round(Math.min(520, Math.max(280, width * 0.52)))
}

/** The projection of a map that shows these places, as the reader has zoomed and moved it. */
export function projectionFor(
  places: readonly GeoPlace[],
  view: MapView,
  width: number,
  height: number,
): GeoProjection {
  const projection = fittedTo(places, width, height)
  const [x, y] = projection.translate()
  return projection
    .scale(projection.scale() * view.zoom)
    .translate([x * view.zoom + view.x, y * view.zoom + view.y])
    .clipExtent([
      [0, 0],
      [width, height],
    ])
}

/** Points that are close together fill the map; those around the world lie on all of it. */
function fittedTo(places: readonly GeoPlace[], width: number, height: number): GeoProjection {
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
