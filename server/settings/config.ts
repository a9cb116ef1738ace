import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { ALL_SETTINGS, SETTINGS } from './flags.js'
import { type GivenLimits, readLimits, type ServerLimits, writtenLimits } from './limits.js'
import { parseBucket, parseSetting } from './parsers.js'
import type { Setting } from './setting.js'

/**
 * The default of `drainDelay` behind a proxy: a proxy that polls every 2 s and waits 3 s for an answer, as in
 * deploy/, has noticed by then.
 */
const PROXIED_DRAIN_DELAY_MS = 5000

type SettingValue<S> = S extends Setting<infer Value> ? Value : never

/**
 * The configuration of a server: sizes in bytes, durations in milliseconds, null
 * for a setting that is not set.
 */
export type ServerConfig = Omit<
  { [Name in keyof typeof SETTINGS]: SettingValue<(typeof SETTINGS)[Name]> },
  'limitsFile'
> &
  ServerLimits & {
    drainDelayMs: number
    /** Reads a setting of a package as those of the server were read. */
    read<Value>(setting: Setting<Value>): Value | null
    /**
     * The settings and these of packages, by their flags, and the limits that are given, by their names, as they were
     * written. Of one that may hold a password, it says `set`.
     */
    written(added: readonly Setting[]): Record<string, string>
  }

/**
 * Reads the configuration. A flag (in `flags` by its name without dashes) overrides its environment variable,
 * which overrides the default; an empty variable counts as not set. `limitsGiven` has limits for a server that is started
 * in this process, instead of a file. Throws a Refusal at the first invalid value, and when Trino is to find a bucket in
 * a folder.
 */
export function readConfig(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  limitsGiven?: GivenLimits,
): ServerConfig {
  const { limitsFile, ...settings } = Object.fromEntries(
    Object.entries(SETTINGS as Readonly<Record<string, Setting>>).map(([name, each]) => [
      name,
      readSetting(each, flags[each.flag], environment),
    ]),
  )
  const given = limitsGiven ?? writtenLimits(limitsFile as string | null)
  const config = { ...settings, ...readLimits(limitsFile as string | null, given) } as unknown as ServerConfig
  config.read = setting => readSetting(setting, flags[setting.flag], environment)
  config.written = added =>
    Object.fromEntries([
      ...[...ALL_SETTINGS, ...added].flatMap(each => {
        const text = writtenSetting(each, flags[each.flag], environment)
        return text === null ? [] : [[each.flag, each.parser.isSecret ? 'set' : text]]
      }),
      ...Object.entries(given).map(([name, value]) => [name, String(value)]),
    ])
  config.drainDelayMs ??= config.proxies > 0 ? PROXIED_DRAIN_DELAY_MS : 0
  const { shared, trinoLocation } = config
  if (shared !== null && parseBucket(shared) && trinoLocation !== null && !/^s3[an]?:/.test(trinoLocation))
    throw new Refusal(
      `--trino-location (${quoted(trinoLocation)}) must be an s3:// URL when --shared is a bucket: leave it out if ` +
        `Trino knows the bucket as ${quoted(shared)} too`,
    )
  return config
}

/** Reads one setting as {@link readConfig} does. */
export function readSetting<Value>(
  setting: Setting<Value>,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Value | null {
  const { flag, variable, parser } = setting
  const text = writtenSetting(setting, given, environment)
  if (text === null) return null
  return parseSetting(given === undefined ? variable : `--${flag}`, parser, text)
}

function writtenSetting(
  { variable, default: byDefault }: Setting,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  return given ?? (environment[variable] || byDefault)
}
