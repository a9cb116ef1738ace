import assert from 'node:assert/strict'
import { readConfig } from '#server/settings/config.js'

describe('the configuration of Trino', () => {
  it('reads where a Trino is, and repeats no password', () => {
    const read = (text: string) => readConfig({ trino: text }, {}).trino
    assert.deepEqual(read('https://ada:p%40ss@trino.example:8443/foldgate'), {
      url: 'https://trino.example:8443',
      user: 'ada',
      auth: { password: 'p@ss' },
      catalog: 'foldgate',
    })
    assert.deepEqual(read('http://trino:8080/foldgate'), {
      url: 'http://trino:8080',
      user: null,
      auth: null,
      catalog: 'foldgate',
    })
    const wrongs = [
      'trino:8080',
      'https://x',
      'https://x/',
      'https://x/a/b',
      'http://a:secret@x/c',
      'https://a:%zz@x/c',
    ]
    for (const wrong of wrongs)
      assert.throws(() => read(wrong), /^Refusal: --trino cannot be used as it is: give the URL of a Trino/, wrong)
    assert.equal(readConfig({ 'trino-location': 's3://b/x/' }, {}).trinoLocation, 's3://b/x')
    assert.throws(() => readConfig({ 'trino-location': '/mnt' }, {}), /^Refusal: --trino-location cannot be "\/mnt"/)
    const bucket = { shared: 's3://shared/x' }
    assert.equal(readConfig({ ...bucket, 'trino-location': 's3a://shared/x' }, {}).trinoLocation, 's3a://shared/x')
    assert.throws(
      () => readConfig({ ...bucket, 'trino-location': 'local:///mnt' }, {}),
      /^Refusal: --trino-location \("local:\/\/\/mnt"\) must be an s3:\/\/ URL .*: leave it out if Trino knows .* as "s3:\/\/shared\/x"/,
    )
  })
})
