import assert from 'node:assert/strict'
import { WEBHOOK_ALLOW_SETTING } from '#webhooks/settings.js'
import { readConfig } from '../../../server/dist/settings/config.js'

describe('the setting of webhooks', () => {
  it('reads the addresses that webhooks may reach', () => {
    const read = (text: string) => readConfig({ 'webhook-allow': text }, {}).read(WEBHOOK_ALLOW_SETTING)
    assert.deepEqual(read('10.1.0.0/16, fd00::/8,192.168.7.4'), ['10.1.0.0/16', 'fd00::/8', '192.168.7.4'])
    for (const wrong of ['10.1', '10.1.0.0/33', 'fd00::/129', 'example.org', '10.1.0.0/16,', 'fe80::1%eth0', '::1/'])
      assert.throws(() => read(wrong), /^Refusal: --webhook-allow cannot be .*: give a list of addresses/, wrong)
  })

  it('is read from the environment too, and has no default', () => {
    assert.deepEqual(readConfig({}, { FOLDGATE_WEBHOOK_ALLOW: '::1' }).read(WEBHOOK_ALLOW_SETTING), ['::1'])
    assert.equal(readConfig({}, {}).read(WEBHOOK_ALLOW_SETTING), null)
  })
})
