import assert from 'node:assert/strict'
import { checkReceiver, isGlobal, mayReach } from '#webhooks/sending/receiver.js'

const GLOBAL = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '192.0.3.1', '198.20.0.1', '223.255.255.255', '2606:4700::1111']
const REFUSED = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
  ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  // Unspecified, loopback, IPv4-mapped and -compatible, also of global addresses.
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:1.1.1.1',
    '::127.0.0.1',
    '::a00:1',
    '::ffff:0:10.0.0.1',
  ],
  // NAT64, its local form, 6to4, Teredo, ORCHID and documentation.
  ...['64:ff9b::10.0.0.1', '64:ff9b::1.1.1.1', '64:ff9b:1::10.0.0.1', '2002:7f00:1::', '2002:a00:1::1', '2001::1'],
  ...['2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1', '100::1', '5f00::1'],
  // Unique local, link-local, site-local and multicast.
  ...[
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'not an address',
  ],
]

describe('the addresses that webhooks may reach', () => {
  for (const address of GLOBAL) it(`include ${address}`, () => assert.equal(isGlobal(address), true))
  for (const address of REFUSED) it(`do not include ${address}`, () => assert.equal(isGlobal(address), false))

  it('include those that the operator allows, which http may reach too', () => {
    const [secure, plain] = [new URL('https://x.example'), new URL('http://x.example')]
    const allowed = ['10.1.0.0/16', 'fd00::/8', '192.168.7.4']
    for (const address of ['10.1.2.3', 'fd00::1', '192.168.7.4', '::ffff:10.1.2.3']) {
      assert.equal(mayReach(secure, address, allowed), true, address)
      assert.equal(mayReach(plain, address, allowed), true, address)
      assert.equal(mayReach(secure, address, []), false, address)
    }
    for (const address of ['10.2.0.1', '192.168.7.5', 'fe80::1', 'fd00::1%eth0'])
      assert.equal(mayReach(secure, address, allowed), false, address)
    assert.deepEqual([mayReach(secure, '1.1.1.1', allowed), mayReach(plain, '1.1.1.1', allowed)], [true, false])
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.0.0.1'])
      assert.equal(mayReach(secure, address, ['::/0']), false, address)
    assert.equal(mayReach(plain, 'fd00::1', ['::/0']), true)
  })
})

describe('the URL of a receiver', () => {
  it('is kept as it is called, without a fragment', () => {
    assert.equal(checkReceiver('https://Hooks.Example.org:443/a?b=c#d', []).href, 'https://hooks.example.org/a?b=c')
    assert.equal(checkReceiver('https://1.1.1.1/', []).href, 'https://1.1.1.1/')
    assert.equal(checkReceiver('http://10.1.2.3:8080/x', ['10.1.0.0/16']).href, 'http://10.1.2.3:8080/x')
    assert.equal(checkReceiver('http://hooks.internal/x', ['10.1.0.0/16']).href, 'http://hooks.internal/x')
  })

  const refused: [string, RegExp][] = [
    ['hooks.example.org', /is not a URL that events can be sent to/],
    ['ftp://hooks.example.org/', /is not a URL that events can be sent to/],
    ['file:///etc/passwd', /is not a URL that events can be sent to/],
    [`https://hooks.example.org/${'x'.repeat(2000)}`, /is not a URL that events can be sent to/],
    [`https://hooks.example.org/${'ü'.repeat(500)}`, /is not a URL that events can be sent to/],
    ['https://hooks.example.org:0/', /is not a URL that events can be sent to/],
    ['https://ada:secret@hooks.example.org/', /user name or password: leave them out/],
    ['http://hooks.example.org/', /begins with http: use https/],
  ]
  // Loopback and others, in the notations that URLs allow.
  const internal = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '017700000001', '127.0.0.1.', '0'],
    ...['%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '[::1]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]'],
    ...[
      '[::127.0.0.1]',
      '[64:ff9b::a00:1]',
      '[2002:a00:1::]',
      '[fe80::1]',
      '[fd00::1]',
      '169.254.169.254',
      '0xA9FEA9FE',
    ],
  ]
  for (const host of internal) refused.push([`https://${host}/x`, /webhooks may not reach the address of the receiver/])
  for (const [url, message] of refused)
    it(`is refused if it is ${url.slice(0, 60)}`, () => {
      assert.throws(() => checkReceiver(url, []), { name: 'Refusal', message })
    })

  it('is refused if its address is outside of those that are allowed', () => {
    assert.throws(() => checkReceiver('http://10.2.0.1/', ['10.1.0.0/16']), /webhooks may not reach/)
    assert.throws(() => checkReceiver('http://1.1.1.1/', ['10.1.0.0/16']), /webhooks may not reach/)
  })
})
