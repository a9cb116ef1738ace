import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import catalogue from '#assessed/catalogue.js'
import { writeMadeUpPackage } from '#assessed/made-up/package.js'
import { type Cell, sheet, toCsv } from '#assessed/made-up/sheets.js'
import { readPackage } from '../server/data/package.js'
import { type Worked, workOut } from '../server/data/worked.js'

/** The smallest project that `foldgate demo` seals. */
const PROJECT = 'brindlemoor-core'
const BY = 'project_key'

/** A project of the demonstration: its files, and what they add up to, worked out row by row. */
export interface Demo {
  files: Readonly<Record<string, string>>
  worked: Worked
}

/** Writes the package of the demonstration, and reads one project of it. */
export async function readDemo(): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'foldgate-test-'))
  try {
    await writeMadeUpPackage(folder)
    const project = readPackage(folder).find(({ key }) => key === PROJECT)
    if (!project) throw new RangeError(`the package has no project ${PROJECT}`)
    const names = [...catalogue.relations.keys()].filter(name => existsSync(join(folder, `${name}.csv`)))
    for (const name of names) project.rows(name) // which reads the file: later, there is none
    return {
      files: Object.fromEntries(names.map(name => [`${name}.csv`, fileOf(folder, name)])),
      worked: workOut(project),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A table of the project alone, without the column that says whose the rows are. */
function fileOf(folder: string, name: string): string {
  const [header = [], ...all]: string[][] = parse(readFileSync(join(folder, `${name}.csv`)), { bom: true })
  const at = header.indexOf(BY)
  const own = at < 0 ? all : all.filter(row => row[at] === PROJECT)
  const columns = header.filter(column => column !== BY)
  const cells = own.map(row => row.filter((_, index) => index !== at).map((cell): Cell => cell || null))
  return toCsv(sheet(name, columns.join(' '), cells))
}
