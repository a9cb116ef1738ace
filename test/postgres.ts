import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * Runs the server's suites again with their stores in the PostgreSQL database that FOLDGATE_TEST_POSTGRES names.
 * Without that variable, it prints that they were skipped.
 */
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SUITES = ['./server', './check/pages'].map(at)
const IMPORT = at('./check/server/import.test.ts')

if (process.env.FOLDGATE_TEST_POSTGRES) {
  const found = await Promise.all(
    SUITES.map(async folder => (await readdir(folder, { recursive: true })).map(name => `${folder}/${name}`)),
  )
  const files = [...found.flat().filter(name => name.endsWith('.test.ts')), IMPORT]
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const { status } = spawnSync(process.execPath, [mocha, ...files.sort()], {
    stdio: 'inherit',
    env: { ...process.env, FOLDGATE_TEST_STORE: 'postgres' },
  })
  process.exitCode = status ?? 1
} else {
  console.log(
    'Skipped the server on PostgreSQL: FOLDGATE_TEST_POSTGRES is not set, so it ran on the embedded store only.',
  )
}
