import { cpus } from 'node:os'
import { parseArgs } from 'node:util'

/** One figure: what was measured, its value, the baseline, and the required value. */
export interface Figure {
  what: string
  measured: string
  baseline: string
  bar: string
}

const BENCHES = [
  'world',
  'call',
  'walk',
  'fast',
  'bound',
  'peers',
  'pages',
  'compression',
  'rows',
  'browser',
  'build',
  'statistics',
  'public',
  'export',
  'formats',
  'tenants',
  'reaches',
  'affinity',
  'scale',
  'refresh',
  'start',
  'sandbox',
  'growth',
  'sockets',
  'readers',
  'bombs',
  'versions',
  'fuzz',
  'dirty',
  'soak',
] as const

/** `npm run bench` runs all, `npm run bench -- world` the named ones; `--minutes` sets the length of some. */
const { positionals: named, values } = parseArgs({ options: { minutes: { type: 'string' } }, allowPositionals: true })
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
if (minutes !== undefined && !(minutes > 0)) {
  process.stderr.write('--minutes takes a number above 0\n')
  process.exit(2)
}
const unknown = named.filter(name => !BENCHES.some(bench => bench === name))
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}: choose from ${BENCHES.join(', ')}\n`)
  process.exit(2)
}
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}\n`)
for (const name of named.length > 0 ? named : BENCHES) {
  const { run } = (await import(`./${name}.js`)) as { run: (minutes?: number) => Promise<Figure[]> }
  process.stdout.write(`\n${name}\n`)
  console.table(Object.fromEntries((await run(minutes)).map(({ what, ...figure }) => [what, figure])))
}
