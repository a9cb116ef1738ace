import { BlockList, isIP, isIPv6 } from 'node:net'

/** The special-purpose blocks of IPv4 that IANA lists as not globally reachable, and multicast. */
const SPECIAL_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]
/** Global unicast of IPv6. IPv4-mapped, -compatible and NAT64 addresses are outside of it. */
const GLOBAL_6 = ['2000::/3']
/** Inside of it: protocol assignments such as Teredo, documentation, and 6to4, which contains IPv4 addresses. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const special = listOf([...SPECIAL_4, ...SPECIAL_6])
const global6 = listOf(GLOBAL_6)

/** Addresses and ranges in CIDR notation, such as `10.0.0.0/8`. */
export function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

/** Whether an address is on a list. */
export function isListed(list: BlockList, address: string): boolean {
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
