/** Prints what Redocly and Spectral report about documents under their own rules: [tool, document, rule, place]. */
import { readFile } from 'node:fs/promises'
import { createConfig, lint } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

const config = await createConfig({ extends: ['recommended'] })
const spectralRules = new spectral.Spectral()
spectralRules.setRuleset({ extends: [[rulesets.oas, 'recommended']] })

const found = []
for (const document of process.argv.slice(2)) {
  for (const { ruleId, location } of await lint({ ref: document, config }))
    found.push(['Redocly', document, ruleId, location[0].pointer])
  if (document !== 'openapi.json') continue
  for (const { code, path } of await spectralRules.run(await readFile(document, 'utf8')))
    found.push(['Spectral', document, code, `#/${path.join('/')}`])
}
console.log(JSON.stringify(found))
