// @ts-check
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeTables } from './tables.js'

/** node generate.js [folder] [--events number] [--seed number]: writes the tables to `tables` in the folder. */
try {
  const { values, positionals } = parseArgs({
    options: { events: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  })
  const [named = 'foldgate-shop', ...others] = positionals
  if (others.length > 0) throw new TypeError(`${others.join(' ')}: there is one folder`)
  const folder = join(named, 'tables')
  const rows = writeTables({ folder, events: Number(values.events), seed: Number(values.seed) })
  for (const [name, number] of Object.entries(rows)) console.log(`${join(folder, name)}.csv: ${number} rows`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof TypeError ? 2 : 1
}
