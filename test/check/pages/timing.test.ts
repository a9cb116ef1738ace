import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setPassword } from '#server/store/sessions.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, startPages } from './site.js'
import { Visitor } from './visitor.js'

const scratch = scratchFolder()

describe('the login', () => {
  it('takes as long for an unknown address as for a wrong password', async () => {
    const site = await startPages(join(scratch.path, 'timing.db'), Date.now)
    await setPassword(site.store, ADA.email, ADA.password)
    const visitor = new Visitor(site.url)
    const lasts = async (email: string) => {
      const times: number[] = []
      for (let time = 0; time < 4; time++) {
        const startedAt = performance.now()
        const { status } = await visitor.submit('/', '/login', { email, password: 'wrong password' })
        times.push(performance.now() - startedAt)
        assert.equal(status, 403)
      }
      return Math.min(...times)
    }
    const [known, unknown] = [await lasts(ADA.email), await lasts('eve@example.org')]
    assert.ok(unknown > known / 1.5 && unknown < known * 1.5, `${unknown} ms beside ${known} ms`)
    await site.close()
  })
})
