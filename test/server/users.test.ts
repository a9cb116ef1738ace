import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from '#server/store/digest.js'
import { createKey, listKeys, revokeKey } from '#server/store/keys.js'
import { hashPassword, verifyPassword } from '#server/store/passwords.js'
import { keyPort } from '#server/store/ports.js'
import { addUser, grantOrganizations, listUsers, revokeOrganizations } from '#server/store/users.js'
import { ControlStore } from './control.js'
import { isEmbedded } from './stores.js'

const signal = AbortSignal.timeout(60_000)

describe('passwords', () => {
  it('are stored as a salted scrypt hash with its parameters', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    assert.match(one, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    assert.notEqual(one, two)
    assert.equal(await verifyPassword('correct horse', one), true)
    assert.equal(await verifyPassword('correct horsf', one), false)
    assert.equal(await verifyPassword('correct horse', 'md5$abc'), false)
  })

  it('are refused when too short', async () => {
    await assert.rejects(hashPassword('1234567'), /7 characters: use 8 to 1000/)
  })
})

describe('users', () => {
  const control = new ControlStore()

  it('have a unique address in lower case', async () => {
    await control.addOrganizations('north')
    await addUser(control.store, { email: 'Ada@Example.org', organizations: ['north'] })
    const again = addUser(control.store, { email: 'ada@example.ORG', organizations: ['north'] })
    await assert.rejects(again, /ada@example\.org already exists/)
    assert.deepEqual(
      (await listUsers(control.store)).map(user => [user.email, user.organizations, user.hasPassword]),
      [['ada@example.org', ['north'], false]],
    )
  })

  it('are not added if one of their organizations does not exist', async () => {
    await control.addOrganizations('north')
    const adding = addUser(control.store, { email: 'ada@example.org', organizations: ['north', 'nowhere'] })
    await assert.rejects(adding, /no organization "nowhere".*foldgate organization add/)
    assert.deepEqual(await listUsers(control.store), [])
  })

  for (const email of ['', 'ada', 'ada@', '@example.org', 'a da@example.org', 'ada@example..org', 'ada@x@y']) {
    it(`are refused with the address ${JSON.stringify(email)}`, async () => {
      await assert.rejects(
        addUser(control.store, { email, organizations: [] }),
        /is not an e-mail address: write it as/,
      )
    })
  }

  it('can be granted an organization twice, and lose only organizations that they read', async () => {
    await control.addAda('north')
    await control.addOrganizations('south')
    await grantOrganizations(control.store, 'ada@example.org', ['south'])
    const user = await grantOrganizations(control.store, 'ada@example.org', ['south'])
    assert.deepEqual(user.organizations, ['north', 'south'])
    assert.deepEqual((await revokeOrganizations(control.store, 'ada@example.org', ['north'])).organizations, ['south'])
    const again = revokeOrganizations(control.store, 'ada@example.org', ['north'])
    await assert.rejects(again, /does not read the organization "north" \(they read south\)/)
  })
})

describe('keys', () => {
  const control = new ControlStore()
  const makeKey = (...organizations: string[]) => createKey(control.store, { user: 'ada@example.org', organizations })

  it('are long, random and not stored', async () => {
    await control.addAda('north')
    const [one, two] = [await makeKey('north'), await makeKey('north')]
    assert.match(one.key, /^fg_[a-z0-9]{6}_[\w-]{43}$/)
    assert.notEqual(one.key, two.key)
    const stored = isEmbedded
      ? (await readdir(control.folder)).filter(name => name.startsWith(control.name))
      : [JSON.stringify(await control.store.db.selectFrom('keys').selectAll().execute())]
    assert.ok(stored.length > 0)
    for (const text of stored) {
      const bytes = isEmbedded ? await readFile(join(control.folder, text)) : text
      assert.equal(bytes.includes(one.key) || bytes.includes(one.key.slice(3)), false)
    }
  })

  it('share a tag with those of the same first organization, which tells nothing of the secret', async () => {
    await control.addAda('north', 'south', 'a.b-c')
    const tagOf = async (...organizations: string[]) => (await makeKey(...organizations)).key.slice(0, 10)
    const north = await tagOf('north')
    assert.deepEqual([await tagOf('south', 'north'), await tagOf('north', 'south')], [north, north])
    const tags = new Set([north, await tagOf('south'), await tagOf('a.b-c'), await tagOf('south', 'a.b-c')])
    assert.equal(tags.size, 3)
    for (const tag of tags) assert.match(tag, /^fg_[a-z0-9]{6}_$/)
  })

  it('stay valid without a tag, as servers before 0.2 made them', async () => {
    await control.addAda('north')
    const { id } = await makeKey('north')
    const old = `fg_${randomBytes(32).toString('base64url')}`
    await control.store.db
      .updateTable('keys')
      .set({ hash: digestOf(old) })
      .where('id', '=', id)
      .execute()
    assert.equal((await keyPort(control.store).authenticate(old, signal))?.keyId, id)
  })

  it('are only for organizations that their owner reads', async () => {
    await control.addAda('north')
    await control.addOrganizations('south')
    await assert.rejects(makeKey('south'), /does not read the organization "south".*foldgate user grant/)
    await assert.rejects(makeKey('nowhere'), /no organization "nowhere"/)
    await assert.rejects(
      createKey(control.store, { user: 'bob@example.org', organizations: ['north'] }),
      /no user bob@example\.org/,
    )
    assert.deepEqual(await listKeys(control.store), [])
  })

  it('identify their caller, or none if unknown', async () => {
    await control.addAda('north', 'south')
    const { key, id } = await makeKey('south', 'north', 'south')
    const [owner] = await listUsers(control.store)
    assert.deepEqual(await keyPort(control.store).authenticate(key, signal), {
      keyId: id,
      ownerId: owner?.id,
      organizations: ['north', 'south'],
    })
    for (const other of ['', 'fg_', key.slice(0, -1), key.toUpperCase(), `${key} `])
      assert.equal(await keyPort(control.store).authenticate(other, signal), null)
  })

  it('lose and regain organizations at once as their owner does', async () => {
    await control.addAda('north', 'south')
    const { key } = await makeKey('north', 'south')
    const reads = async () => (await keyPort(control.store).authenticate(key, signal))?.organizations
    await revokeOrganizations(control.store, 'ada@example.org', ['north'])
    assert.deepEqual(await reads(), ['south'])
    await revokeOrganizations(control.store, 'ada@example.org', ['south'])
    assert.deepEqual(await reads(), [])
    await control.addOrganizations('west')
    await grantOrganizations(control.store, 'ada@example.org', ['north', 'west'])
    assert.deepEqual(await reads(), ['north'])
    const [listed] = await listKeys(control.store)
    assert.deepEqual([listed?.organizations, listed?.reads], [['north', 'south'], ['north']])
  })

  it('end at their expiry, which must be in the future', async () => {
    await control.addAda('north')
    const wanted = { user: 'ada@example.org', organizations: ['north'] }
    await assert.rejects(
      createKey(control.store, { ...wanted, expiresAt: control.now }),
      /is in the past: name a time in the future/,
    )
    const { key } = await createKey(control.store, { ...wanted, expiresAt: control.now + 1000 })
    control.now += 999
    assert.ok(await keyPort(control.store).authenticate(key, signal))
    control.now += 1
    assert.equal(await keyPort(control.store).authenticate(key, signal), null)
  })

  it('end for good when first revoked', async () => {
    await control.addAda('north')
    const { key, id } = await makeKey('north')
    const revokedAt = control.now
    assert.equal((await revokeKey(control.store, id)).revokedAt, revokedAt)
    control.now += 1000
    assert.equal((await revokeKey(control.store, id.toUpperCase())).revokedAt, revokedAt)
    assert.equal(await keyPort(control.store).authenticate(key, signal), null)
    await assert.rejects(revokeKey(control.store, 'nothing'), /no key with the id "nothing".*foldgate key list/)
  })
})
