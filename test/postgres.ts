import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * Runs the suite of the server once more, with its stores in the PostgreSQL that FOLDGATE_TEST_POSTGRES names; without
 * one it says so.
 */
const SUITES = ['./server', './check/pages'].map(folder => fileURLToPath(new URL(folder, import.meta.url)))

if (process.env.FOLDGATE_TEST_POSTGRES) {
  const found = await Promise.all(
    SUITES.map(async folder => (await readdir(folder, { recursive: true })).map(name => `${folder}/${name}`)),
  )
  const files = found.flat().filter(name => name.endsWith('.test.ts'))
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const { status } = spawnSync(process.execPath, [mocha, ...files.sort()], {
    stdio: 'inherit',
    env: { ...process.env, FOLDGATE_TEST_STORE: 'postgres' },
  })
  process.exitCode = status ?? 1
} else {
  console.log(
    'Left out: the server on PostgreSQL, as FOLDGATE_TEST_POSTGRES names none; it ran on the embedded store alone.',
  )
}
