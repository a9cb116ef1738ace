import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countrySheets, type Grid } from './countries.js'
import { directCo2e, factorSheets } from './factors.js'
import { indicatorSheets } from './indicators.js'
import { natureSheets } from './nature.js'
import { drawProjects } from './projects.js'
import { ratingSheets } from './ratings.js'
import { riskSheets } from './risks.js'
import { sectorSheets } from './sectors.js'
import { type Sheet, toCsv } from './sheets.js'
import type { Activity } from './sites.js'
import { sourceSheets } from './sources.js'

/** A country with fewer power stations than this gets the mean of all countries. */
const FEWEST_STATIONS = 20

/** The README of the package. */
const README = `Foldgate demonstration package: MADE UP

Everything in this folder was drawn by a program from fixed seeds, the same on every run. The organizations, companies,
owners, shares, sites, places, capacities, outputs, ecoregions, ratings, dependencies, risks, scales and exclusions are
made up: none of them exists, and a likeness to a real company or place is chance. Countries carry their real names and
codes; what stands in them does not.

The factors (factors.csv, characterisation.csv, commodities.csv) come from published figures where there are some. The
column "how" holds the arithmetic of each row, "source_id" points to sources.csv, and "check" says how far to trust it:

  cited            from the named publication, quoted from memory and not looked up again
  partly assumed   published figures times an assumption of ours, which "how" names
  made up          invented
  definition       so by what the unit means

Grid factors (countries.csv) are the means of the made-up power stations, not of a real grid.

Good for trying the software. Not good for a statement about any company, country or sector.

CSV as in RFC 4180, UTF-8, one header line. An empty cell is NULL.
`

/** The file that is written last: a package without it is incomplete. */
export const LAST_FILE = 'README.txt'

/**
 * Writes the made-up package into `folder`, which is created if missing; replaces files of the same names.
 * The bytes are the same on every run. Throws between two files when `signal` is aborted.
 */
export async function writeMadeUpPackage(folder: string, signal?: AbortSignal): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const sheet of allSheets()) {
    signal?.throwIfAborted()
    await writeFile(join(folder, `${sheet.name}.csv`), toCsv(sheet))
  }
  await writeFile(join(folder, LAST_FILE), README)
}

function allSheets(): Sheet[] {
  const projects = drawProjects()
  return [
    ...projects.sheets,
    ...sectorSheets(),
    ...factorSheets(),
    ...indicatorSheets(),
    ...natureSheets(),
    ...countrySheets(gridsOf(projects.activities)),
    ...ratingSheets(),
    ...riskSheets(projects.exclusions),
    ...sourceSheets(),
  ]
}

/**
 * Computes grid factors as means over made-up power stations: not published
 * figures, and labelled accordingly.
 */
function gridsOf(fleet: readonly Activity[]): (iso3: string) => Grid {
  const sums = new Map<string, { stations: number; tonnes: number; gigawattHours: number }>()
  const add = (key: string, tonnes: number, gigawattHours: number) => {
    const sum = sums.get(key) ?? { stations: 0, tonnes: 0, gigawattHours: 0 }
    sum.stations++
    sum.tonnes += tonnes
    sum.gigawattHours += gigawattHours
    sums.set(key, sum)
  }
  for (const { site, sector, output } of fleet) {
    if (sector.unit !== 'GWh' || output === null) continue
    const tonnes = output * directCo2e(sector.code)
    add(site.iso3, tonnes, output)
    add('', tonnes, output)
  }
  return iso3 => {
    const own = sums.get(iso3)
    const known = own !== undefined && own.stations >= FEWEST_STATIONS
    const { tonnes, gigawattHours } = (known ? own : sums.get('')) ?? { tonnes: 0, gigawattHours: 1 }
    const factor = Number((tonnes / gigawattHours / 1000).toPrecision(4))
    return { factor, basis: known ? 'made-up power stations of the country' : 'all made-up power stations' }
  }
}
