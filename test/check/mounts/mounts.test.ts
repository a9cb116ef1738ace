import { MOUNTED } from '../../conformance/entry/entry.js'
import { describeEntries } from '../../conformance/entry/suite.js'
import { EXAMPLES, PARSERS } from './hosts.js'

/** What no API behind a parser gets to see, with what the parser answers. */
const KEPT: Record<string, Record<string, number>> = {}

for (const [example, { mount }] of Object.entries(EXAMPLES))
  describe(`the API under a prefix of ${example}`, () => describeEntries({ mount, entries: MOUNTED }))

for (const [parser, mount] of Object.entries(PARSERS))
  describe(`the API behind ${parser}`, () => describeEntries({ mount, entries: MOUNTED, kept: KEPT[parser] ?? {} }))
