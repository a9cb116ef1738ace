import assert from 'node:assert/strict'
import { refuseUnknownVariables } from '#server/cli/program.js'
import { ALL_SETTINGS } from '#server/settings/flags.js'

describe('variables of the environment', () => {
  const suggested: [variable: string, meant: string][] = [
    ['FOLDGATE_PROT', 'FOLDGATE_PORT'],
    ['FOLDGATE_port', 'FOLDGATE_PORT'],
    ['FOLDGATE_DATE', 'FOLDGATE_DATA'],
    ['FOLDGATE_BASEURL', 'FOLDGATE_BASE_URL'],
    ['FOLDGATE_METRIC_PORT', 'FOLDGATE_METRICS_PORT'],
    ['FOLDGATE_LIMIT', 'FOLDGATE_LIMITS'],
    ['FOLDGATE_CORS_ORIGINS', 'FOLDGATE_CORS_ORIGIN'],
  ]
  for (const [variable, meant] of suggested) {
    it(`named ${variable} are refused with ${meant}, without their value`, () => {
      assert.throws(() => refuseUnknownVariables({ PATH: '/bin', [variable]: 'hunter2' }), {
        name: 'Refusal',
        message: `${variable} is not a setting: did you mean ${meant}? "foldgate serve --help" lists all`,
      })
    })
  }

  it('unlike any setting are refused without a guess', () => {
    assert.throws(() => refuseUnknownVariables({ FOLDGATE_FROBNICATE: 'hunter2' }), {
      name: 'Refusal',
      message: 'FOLDGATE_FROBNICATE is not a setting: unset it, or set one that "foldgate serve --help" lists',
    })
  })

  it('that are settings, are empty or do not begin with FOLDGATE_ are accepted', () => {
    const settings = Object.fromEntries(ALL_SETTINGS.map(({ variable }) => [variable, 'x']))
    refuseUnknownVariables({ ...settings, FOLDGATE_PROT: '', FOLDGATE: '1', MY_FOLDGATE_PROT: '1', foldgate_prot: '1' })
  })

  it('of the deployment, the examples and the tests are accepted', () => {
    for (const name of ['SITE', 'SECRET', 'URL', 'KEY', 'SEED', 'TEST_DATA', 'TEST_POSTGRES', 'TEST_STORE'])
      refuseUnknownVariables({ [`FOLDGATE_${name}`]: 'x' })
  })

  it('that Kubernetes sets for services are accepted', () => {
    refuseUnknownVariables({
      FOLDGATE_SERVICE_HOST: '10.0.0.11',
      FOLDGATE_SERVICE_PORT: '8080',
      FOLDGATE_SERVICE_PORT_HTTP: '8080',
      FOLDGATE_PORT_8080_TCP: 'tcp://10.0.0.11:8080',
      FOLDGATE_PORT_8080_TCP_ADDR: '10.0.0.11',
      FOLDGATE_STORE_SERVICE_HOST: '10.0.0.12',
      FOLDGATE_STORE_PORT: 'tcp://10.0.0.12:5432',
      FOLDGATE_STORE_PORT_5432_TCP_PROTO: 'tcp',
    })
  })
})
