import { BlockList, isIP, isIPv6 } from 'node:net'
import { quoted, Refusal } from 'foldgate-server/parts'

/** The special-purpose blocks of IPv4 that IANA lists as not globally reachable, and multicast. */
const SPECIAL_4 = [
  ...[
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
  ],
  ...[
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
  ],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]
/** Global unicast of IPv6. IPv4-mapped, IPv4-compatible and NAT64 addresses are outside it. */
const GLOBAL_6 = ['2000::/3']
/** Within it: protocol assignments such as Teredo, documentation, and 6to4, which contains IPv4 addresses. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const special = listOf([...SPECIAL_4, ...SPECIAL_6])
const global6 = listOf(GLOBAL_6)

const MAX_URL_CHARACTERS = 2000

/** Shown for every address that is refused, so that it does not reveal to which address a name resolves. */
export const NOT_REACHED = 'webhooks may not reach the address of the receiver'

/** Returns the host of a URL as a resolver or a socket takes it: without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Whether requests may go to an address: a global one by https, or one that the operator allows. */
export function mayReach(url: URL, address: string, allowed: readonly string[]): boolean {
  // A BlockList also matches IPv4 addresses against IPv6 ranges, so ::/0 would match every address.
  const isOfIPv6 = isIPv6(address) && !/^::ffff:/i.test(address)
  const ranges = allowed.filter(range => isIPv6(range.split('/')[0] ?? '') === isOfIPv6)
  if (isIP(address) !== 0 && !address.includes('%') && isListed(listOf(ranges), address)) return true
  return url.protocol === 'https:' && isGlobal(address)
}

/**
 * Returns the URL of a receiver without its fragment. Throws a Refusal when it is not an https URL,
 * has credentials, or names an address that webhooks may not reach. `allowed` are the addresses and
 * ranges of the operator's network that they may reach, over http too. The addresses of a host name
 * are checked before each request.
 */
export function checkReceiver(text: string, allowed: readonly string[]): URL {
  const url = text.length <= MAX_URL_CHARACTERS && URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL_CHARACTERS || url.port === '0')
    throw new Refusal(
      `${quoted(text)} is not a URL that events can be sent to: give one such as https://hooks.example.org/foldgate`,
    )
  if (url.username !== '' || url.password !== '')
    throw new Refusal(
      'The URL of the receiver has a user name or password: leave them out, since the signature identifies the sender',
    )
  if (url.protocol === 'http:' && allowed.length === 0)
    throw new Refusal(
      'The URL of the receiver begins with http: use https, or let the administrator allow its address with ' +
        '--webhook-allow',
    )
  const host = hostOf(url)
  if (isIP(host) !== 0 && !mayReach(url, host, allowed))
    throw new Refusal(
      `The receiver ${url.protocol}//${url.hostname} cannot be used: ${NOT_REACHED}. Name one on the internet, or let the ` +
        'administrator allow its address with --webhook-allow',
    )
  url.hash = ''
  return url
}

/** Addresses and ranges in CIDR notation, such as `10.0.0.0/8`. */
function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

/** Whether an address is on a list. */
function isListed(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address))
}

/** Whether an address is global unicast: neither in a private network nor special in another way. */
export function isGlobal(address: string): boolean {
  // An address with a zone, as in fe80::1%eth0, is link-local.
  if (isIP(address) === 0 || address.includes('%')) return false
  if (isIPv6(address) && !isListed(global6, address)) return false
  return !isListed(special, address)
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
