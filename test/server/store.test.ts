import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openStore } from '#server/database/store.js'
import { formatInstant, parseInstant } from '#server/input/instants.js'
import { createKey, revokeKey } from '#server/store/keys.js'
import { addOrganization, listOrganizations } from '#server/store/organizations.js'
import { keyPort, projectPort, signingSecrets } from '#server/store/ports.js'
import { addProject } from '#server/store/projects.js'
import { until } from '../until.js'
import { ControlStore } from './control.js'

const signal = AbortSignal.timeout(60_000)
const PROJECT = '11111111-1111-4111-8111-111111111111'

describe('the control store', () => {
  const control = new ControlStore()
  const makeKey = (...organizations: string[]) => createKey(control.store, { user: 'ada@example.org', organizations })

  it('keeps its contents when reopened', async () => {
    await control.addOrganizations('north')
    await control.reopen()
    assert.deepEqual(
      (await listOrganizations(control.store)).map(each => each.key),
      ['north'],
    )
  })

  it('is refused if a newer version has changed it, and the message names the change', async () => {
    await sql`INSERT INTO migrations VALUES ('9999-from-the-future', 0)`.execute(control.store.db)
    await assert.rejects(
      openStore(control.file),
      /another version of foldgate \(change "9999-from-the-future"\): run that version, or/,
    )
  })

  it('is refused if its file is not a database', async () => {
    const junk = join(control.folder, 'junk.db')
    await writeFile(junk, 'this is no database at all\n'.repeat(100))
    await assert.rejects(openStore(junk), /is not a database: move it away, or name another folder/)
  })

  it('shows each process the changes of others at once', async () => {
    const other = await openStore(control.file)
    try {
      await control.addAda('north')
      const { key, id } = await makeKey('north')
      assert.ok(await keyPort(other).authenticate(key, signal))
      await revokeKey(other, id)
      assert.equal(await keyPort(control.store).authenticate(key, signal), null)
    } finally {
      await other.close()
    }
  })

  it('soon authenticates no key that another process has revoked', async () => {
    await control.addAda('north')
    const { key, id } = await makeKey('north')
    const { authenticate } = keyPort(control.store)
    assert.ok(await authenticate(key, signal))
    const other = await openStore(control.file)
    try {
      await revokeKey(other, id)
      await until(async () => (await authenticate(key, signal)) === null, 'the key is refused')
    } finally {
      await other.close()
    }
  })

  it('finds what this process has written in the turn in which a call was admitted', async () => {
    await control.addAda('north')
    const { key } = await makeKey('north')
    const [keys, projects] = [keyPort(control.store), projectPort(control.store)]
    assert.ok(await keys.authenticate(key, signal))
    assert.equal(await projects.find(PROJECT, signal), null)
    await addProject(control.store, { organization: 'north', name: 'Wind', id: PROJECT })
    assert.equal((await projects.find(PROJECT, signal))?.projectId, PROJECT)
  })

  it('applies a transaction completely or not at all', async () => {
    const failing = control.store.transaction(async within => {
      await addOrganization(within, { key: 'north', name: 'North' })
      throw new Error('on purpose')
    })
    await assert.rejects(failing, /on purpose/)
    assert.deepEqual(await listOrganizations(control.store), [])
  })

  it('creates the signing secret once, even for two processes', async () => {
    const other = await openStore(control.file)
    const [first, second] = await Promise.all([signingSecrets(control.store), signingSecrets(other)])
    await other.close()
    assert.deepEqual(first, second)
    assert.equal(first.length, 1)
    assert.ok((first[0]?.length ?? 0) >= 32)
  })
})

describe('instants', () => {
  const accepted: [string, string][] = [
    ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21t09:00:00z', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21 09:00:00+02:00', '2026-11-21T07:00:00.000Z'],
    ['2024-02-29T23:59:59.123456-01:30', '2024-03-01T01:29:59.123Z'],
  ]
  for (const [text, instant] of accepted)
    it(`read ${text}`, () => assert.equal(formatInstant(parseInstant(text) ?? 0), instant))

  const refused = [
    '2026-11-21',
    '2026-11-21T09:00Z',
    '2026-11-21T09:00:00',
    '2026-02-29T09:00:00Z',
    '2026-13-01T09:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:00:60Z',
    '2026-11-21T09:00:00+2:00',
    'tomorrow',
  ]
  for (const text of refused) it(`do not read ${text}`, () => assert.equal(parseInstant(text), null))
})
