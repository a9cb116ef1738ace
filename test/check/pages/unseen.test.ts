import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { unseenKeys } from '#server/pages/once.js'
import type { CreatedKey } from '#server/store/keys.js'

const SENT = { token: 'session', once: 'form' }

describe('a key that has not been shown yet', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  let made = 0
  const create = async () => ({ id: `key-${++made}`, key: `fg_${made}` }) as CreatedKey

  it('is kept one minute for the session that created it, and returned once', async () => {
    const unseen = unseenKeys()
    const id = await unseen.make(SENT, create)
    assert.equal(unseen.take('other', id), null)
    assert.equal(unseen.take('session', 'other'), null)
    mock.timers.tick(59_999)
    assert.equal(unseen.take('session', id)?.id, id)
    assert.equal(unseen.take('session', id), null)
    const second = await unseen.make({ ...SENT, once: 'second' }, create)
    mock.timers.tick(60_000)
    assert.equal(unseen.take('session', second), null)
  })

  it('is created once per session if a form is sent twice', async () => {
    const unseen = unseenKeys()
    const ids = await Promise.all([SENT, SENT, { ...SENT, token: 'other' }].map(sent => unseen.make(sent, create)))
    assert.equal(ids[0], ids[1])
    assert.notEqual(ids[0], ids[2])
  })

  it('can be requested again if it could not be created', async () => {
    const unseen = unseenKeys()
    await assert.rejects(
      unseen.make(SENT, () => Promise.reject(new Error('on purpose'))),
      /on purpose/,
    )
    assert.match(await unseen.make(SENT, create), /^key-/)
  })
})
