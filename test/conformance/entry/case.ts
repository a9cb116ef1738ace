import type { ErrorClass } from 'foldgate'
import type { Warning } from 'foldgate/client'
import type { Rule } from './rules.js'
import type { ServiceName } from './services.js'
import type { World } from './world.js'

/** What a set-up created. It replaces the corresponding values of the case's call. */
export interface Given {
  projectId?: string
  key?: string
  /** Replaces `page.cursor` in the params. */
  cursor?: string
  /** Replaces `snapshot` in the params. */
  snapshot?: string
}

/** A call, independent of the entry point. */
export interface Call {
  method: string
  /** Omitted when the call has no params. */
  params?: unknown
  /** null sends no key. */
  key: string | null
}

/** An entry point's answer, without its envelope. */
export interface Outcome {
  result?: unknown
  warnings?: Warning[]
  error?: { code: number; class: ErrorClass; message: string; detail?: Record<string, unknown> }
}

/** A download of the file that a call exported. */
export interface Download {
  verb?: 'GET' | 'HEAD'
  /** Defaults to the key of the call. */
  key?: string | null
  /** Time between the call and the download. */
  afterMs?: number
  range?: string
  /** How the link is tampered with before the download. */
  link?: 'forged' | 'cut short'
}

/** The outcome of a download: the whole file, only its size, or an error class. */
export type Downloaded = 'file' | 'size' | ErrorClass

/** What a success must contain. Omitted members are not checked, except that warnings must then be absent. */
export interface ExpectedResult {
  /** All items, in this order. */
  items?: unknown[]
  /** Number of items. */
  count?: number
  /** Whether there is a next page. */
  more?: boolean
  /** Members that the result must have; a RegExp must match the member. */
  result?: Record<string, unknown>
  /** Members that the result must not have. */
  lacks?: string[]
  /** Paths of the warnings. */
  warnings?: string[]
  download?: Downloaded
}

/** What a failure must contain. Warnings must be absent if they are omitted here. */
export interface ExpectedFailure {
  class: ErrorClass
  /** Members that its data must have; a RegExp must match the member. */
  data?: Record<string, unknown>
  message?: RegExp
  /** Paths of the warnings in its data. */
  warnings?: string[]
}

/** One call and the outcome that every entry point must produce. */
export interface Case {
  name: string
  rules: readonly Rule[]
  method: string
  params?: unknown
  key?: string | null
  on?: ServiceName
  /** Runs once for all entry points and all cases that share it. */
  setUp?: (world: World) => Promise<Given> | Given
  /** The case moves the clock, so it runs after all others. */
  alone?: true
  download?: Download
  expect: ExpectedResult | ExpectedFailure
}
