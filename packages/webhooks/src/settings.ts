import { isIP } from 'node:net'
import { type Parser, setting } from 'foldgate-server/parts'

/** Addresses and ranges of addresses separated by commas. */
const networks: Parser<string[]> = {
  placeholder: 'addresses',
  accepts: 'a list of addresses and ranges such as 10.1.0.0/16,fd00::/8,192.168.7.4',
  parse(given) {
    const ranges = given.split(',').map(each => each.trim())
    return ranges.every(isRange) ? ranges : null
  },
}

function isRange(text: string): boolean {
  const [, address = '', , prefix] = /^([^/%]+)(\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && (prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128))
}

/** Of the server, and of the command that adds a webhook. */
export const WEBHOOK_ALLOW_SETTING = setting(
  'webhook-allow',
  networks,
  'Addresses and ranges, separated by commas, that webhooks may reach besides the internet, over http too.',
)
