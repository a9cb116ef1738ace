import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * Runs the suite of the server once more, with its stores in the PostgreSQL that FOLDGATE_TEST_POSTGRES names; without
 * one it says so.
 */
const SUITE = fileURLToPath(new URL('./server', import.meta.url))
/** The demonstration always has the embedded store; the others ask the engine alone. */
const WITHOUT_STORE = /^(demo|examples|screens|values)\.test\.ts$|^explore\//

if (process.env.FOLDGATE_TEST_POSTGRES) {
  const names = await readdir(SUITE, { recursive: true })
  const files = names.filter(name => name.endsWith('.test.ts') && !WITHOUT_STORE.test(name))
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const { status } = spawnSync(process.execPath, [mocha, ...files.sort().map(name => `${SUITE}/${name}`)], {
    stdio: 'inherit',
    env: { ...process.env, FOLDGATE_TEST_STORE: 'postgres' },
  })
  process.exitCode = status ?? 1
} else {
  console.log(
    'Left out: the server on PostgreSQL, as FOLDGATE_TEST_POSTGRES names none; it ran on the embedded store alone.',
  )
}
