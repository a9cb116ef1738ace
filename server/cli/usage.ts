import type { Command } from 'commander'
import { parseSetting, whole } from '../settings/parsers.js'
import { mapped } from '../store/in-pages.js'
import { type DayUsage, usageOf } from '../store/usage.js'
import { addCommand, type CommonOptions, withStore } from './command.js'
import { printList } from './print.js'

const DAYS = whole(1, 3650)

/** `foldgate usage` */
export function usageCommand(program: Command): void {
  addCommand(program, 'usage', 'Show the usage of keys and tokens, by key and day (in UTC).')
    .option('--key <id>', 'Only the key with this id, or tokens: their organizations, such as ["acme"].')
    .option(`--days <${DAYS.placeholder}>`, 'Number of days, today included.', '30')
    .addHelpText(
      'after',
      '\nA running server writes its counters once per second. It keeps days for the limit usageDays; older ones are added up\n' +
        'by month, so their DAY is a month. A month that the days begin in is shown whole.',
    )
    .action((options: CommonOptions & { key?: string; days: string }) =>
      withStore(options, async store => {
        const { key, days } = options
        const usage = usageOf(store, {
          days: parseSetting('--days', DAYS, days),
          ...(key === undefined ? {} : { key }),
        })
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

function calls(method: string) {
  return ({ methods }: Pick<DayUsage, 'methods'>) => String(methods[method]?.calls ?? 0)
}

function asJson({ keyId: id, keyName: name, ...usage }: DayUsage) {
  return { id, name, ...usage }
}
