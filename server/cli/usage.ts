import { type Command, Option } from 'commander'
import { parseSetting, whole } from '../settings/parsers.js'
import { mapped } from '../store/in-pages.js'
import { type DayUsage, usageOf } from '../store/usage.js'
import { sumUsage, USAGE_GROUPS, type UsageGroup, type UsageSum } from '../store/usage-sums.js'
import { addCommand, type CommonOptions, withStore } from './command.js'
import { printList } from './print.js'

const DAYS = whole(1, 3650)

/** `foldgate usage` */
export function usageCommand(program: Command): void {
  addCommand(program, 'usage', 'Show the usage of keys and tokens, by key and day (in UTC), or added up.')
    .option('--key <id>', 'Only the key with this id, or tokens: their organizations, such as ["acme"].')
    .option(`--days <${DAYS.placeholder}>`, 'Number of days, today included.', '30')
    .addOption(
      new Option(
        '--by <what>',
        'Add the days up by this: what took the engine most comes first. Times are in seconds: what calls waited for a ' +
          'connection and for builds, what statements ran, and processor time of the engine.',
      ).choices(USAGE_GROUPS),
    )
    .addHelpText(
      'after',
      '\nA running server writes its counters once per second. It keeps days for the limit usageDays; older ones are added up\n' +
        'by month, so their DAY is a month. A month that the days begin in is shown whole.',
    )
    .action((options: CommonOptions & { key?: string; days: string; by?: UsageGroup }) =>
      withStore(options, async store => {
        const { key, by } = options
        const days = parseSetting('--days', DAYS, options.days)
        const asked = { days, ...(key === undefined ? {} : { key }) }
        if (by !== undefined)
          return printList(options, await sumUsage(store, { ...asked, by }), sumColumns(by))
        const usage = usageOf(store, asked)
        await printList(options, mapped(usage, asJson), {
          DAY: each => each.day,
          KEY: each => each.id,
          NAME: each => each.name ?? 'removed',
          CALLS: each => String(each.calls),
          FAILED: each => String(each.failed),
          LIST: calls('projects/list'),
          DESCRIBE: calls('projects/describe'),
          QUERY: calls('projects/query'),
          EXPORT: calls('projects/export'),
          ROWS: each => String(each.rows),
          BYTES: each => String(each.bytes),
          DOWNLOADS: each => String(each.downloads),
        })
      }),
    )
}

function sumColumns(by: UsageGroup): Record<string, (sum: UsageSum) => string> {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  return {
    [by.toUpperCase()]: each => each.id ?? 'removed',
    CALLS: each => String(each.calls),
    FAILED: each => String(each.failed),
    ROWS: each => String(each.rows),
    BYTES: each => String(each.bytes),
    DOWNLOADS: each => String(each.downloads),
    WAITED: each => seconds(each.waitMs),
    BUILT: each => seconds(each.buildMs),
    RAN: each => seconds(each.runMs),
    ENGINE: each => seconds(each.engineMs),
  }
}

function calls(method: string) {
  return ({ methods }: Pick<DayUsage, 'methods'>) => String(methods[method]?.calls ?? 0)
}

function asJson({ keyId: id, keyName: name, ...usage }: DayUsage) {
  return { id, name, ...usage }
}
