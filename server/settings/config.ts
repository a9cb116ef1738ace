import type { Limits } from 'foldgate'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { LIMIT_SETTINGS, SETTINGS } from './flags.js'
import { parseBucket, parseSetting, writeDuration, writeSize } from './parsers.js'
import type { Setting } from './setting.js'

/**
 * What `--drain-delay` is by default behind a proxy: one that polls every 2 s and waits 3 s for an answer has
 * noticed then, as those in deploy/ do.
 */
const PROXIED_DRAIN_DELAY_MS = 5000

type ValueOf<S> = S extends Setting<infer Value> ? Value : never

/**
 * The configuration of a server: sizes in bytes, durations in milliseconds, null
 * for a setting that is not set.
 */
export type ServerConfig = { [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> } & {
  drainDelayMs: number
  limits: Limits
}

/**
 * Reads the configuration. A flag (in `flags` by its name without dashes) overrides its environment variable,
 * which overrides the default; an empty variable counts as not set. Throws a Refusal at the first invalid
 * value, when links would outlive their files, when exports would have no room, and when Trino is to find a
 * bucket in a folder.
 */
export function readConfig(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ServerConfig {
  const readAll = (settings: Readonly<Record<string, Setting>>) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, each]) => [
        name,
        readSetting(each, flags[each.flag], environment),
      ]),
    )
  const config = { ...readAll(SETTINGS), limits: readAll(LIMIT_SETTINGS) } as unknown as ServerConfig
  config.drainDelayMs ??= config.proxies > 0 ? PROXIED_DRAIN_DELAY_MS : 0
  const { exportRetentionMs, limits } = config
  if (exportRetentionMs < limits.linkValidityMs)
    throw new Refusal(
      `--export-retention (${writeDuration(exportRetentionMs)}) must be at least --link-validity ` +
        `(${writeDuration(limits.linkValidityMs)}): a link must not outlive its file`,
    )
  for (const scope of ['Owner', 'Organization'] as const)
    if (limits[`exportBytesPer${scope}`] < limits.exportBytes)
      throw new Refusal(
        `--export-bytes-per-${scope.toLowerCase()} (${writeSize(limits[`exportBytesPer${scope}`])}) must be at least ` +
          `--export-bytes (${writeSize(limits.exportBytes)}): it would leave no room for an export`,
      )
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
  { flag, variable, parser, default: byDefault }: Setting<Value>,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Value | null {
  const text = given ?? (environment[variable] || byDefault)
  if (text === null) return null
  return parseSetting(given === undefined ? variable : `--${flag}`, parser, text)
}
