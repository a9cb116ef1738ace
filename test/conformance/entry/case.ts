import type { ErrorClass, Warning } from 'foldgate'
import type { Rule } from './rules.js'
import type { ServiceName } from './services.js'
import type { World } from './world.js'

/** What a set-up made, and the call is then about: it takes the place of what the case names. */
export interface Given {
  projectId?: string
  key?: string
  /** Becomes `page.cursor` of the params. */
  cursor?: string
}

/** A call as an entry point takes it. */
export interface Call {
  method: string
  /** Left out: the call has none. */
  params?: unknown
  /** null: the call carries no key. */
  key: string | null
}

/** What an entry point answers, without its envelope. */
export interface Outcome {
  result?: unknown
  warnings?: Warning[]
  error?: { code: number; class: ErrorClass; message: string; detail?: Record<string, unknown> }
}

/** A download of the file that a call has linked to. */
export interface Download {
  verb?: 'GET' | 'HEAD'
  /** The key of the call, unless given. */
  key?: string | null
  /** Time between the call and the download. */
  afterMs?: number
  range?: string
  /** What becomes of the link first. */
  link?: 'forged' | 'cut short'
}

/** What a download comes to: the whole file, its size alone, or a class. */
export type Downloaded = 'file' | 'size' | ErrorClass

/** What a success must hold; what is not named is not looked at, but for warnings, which are then none. */
export interface ExpectedResult {
  /** The items, all of them, in this order. */
  items?: unknown[]
  /** How many items there are. */
  count?: number
  /** Whether there is a next page. */
  more?: boolean
  /** What the result holds, at least; a pattern is matched. */
  result?: Record<string, unknown>
  /** Members that the result does not have. */
  lacks?: string[]
  /** Paths of the warnings. */
  warnings?: string[]
  download?: Downloaded
}

/** What a failure must hold; warnings that are not named are none. */
export interface ExpectedFailure {
  class: ErrorClass
  /** What its data holds, at least; a pattern is matched. */
  data?: Record<string, unknown>
  message?: RegExp
  /** Paths of the warnings in its data. */
  warnings?: string[]
}

/** One call and what every entry point must make of it. */
export interface Case {
  name: string
  rules: readonly Rule[]
  method: string
  params?: unknown
  key?: string | null
  on?: ServiceName
  /** Runs once for all entry points, and for all cases that share it. */
  setUp?: (world: World) => Promise<Given> | Given
  /** Moves the clock: runs when everything else is over. */
  alone?: true
  download?: Download
  expect: ExpectedResult | ExpectedFailure
}
