/** The README of the package. */
export const README = `Foldgate demonstration package: MADE UP

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
