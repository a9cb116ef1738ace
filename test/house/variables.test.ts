import assert from 'node:assert/strict'
import { refuseUnknownVariables } from '#server/cli/program.js'
import { additions } from '#server/input/installed.js'
import type { SettingAddition } from '#server/settings/setting.js'
import { filesOfRepository, readFromRoot } from './documents.js'

/** Files that tell people which variables to set. */
const ENDINGS = [
  '.md',
  '.yaml',
  '.service',
  '.conf',
  '.cfg',
  'Caddyfile',
  'Dockerfile',
  '.ts',
  '.sh',
  '.py',
  '.R',
  '.ipynb',
]
const FOR_PEOPLE = /^(docs|deploy|examples)\/|^[^/]+\.md$/

describe('the variables that the documents, the deployment and the examples name', () => {
  it('are none that a command refuses', async () => {
    const names = new Set<string>()
    for (const file of await filesOfRepository(...ENDINGS)) {
      if (!FOR_PEOPLE.test(file)) continue
      for (const [name] of (await readFromRoot(file)).matchAll(/\bFOLDGATE_[A-Z_]*[A-Z]\b/g)) names.add(name)
    }
    for (const name of ['FOLDGATE_DATA', 'FOLDGATE_KEY', 'FOLDGATE_SECRET', 'FOLDGATE_SITE', 'FOLDGATE_TEST_POSTGRES'])
      assert.ok(names.has(name), name)
    const ofPackages = (await additions<SettingAddition>()).flatMap(({ settings = [] }) => settings)
    for (const name of names) refuseUnknownVariables({ [name]: 'x' }, ofPackages)
  })
})
