import { MOUNTED } from '../../conformance/entry/entry.js'
import { describeEntries } from '../../conformance/entry/suite.js'
import { EXAMPLES, PARSERS } from './hosts.js'

/** Cases that a parser answers instead of the API, with the status of its answer. */
const BROKEN = {
  'no JSON: blanks': 400,
  'no JSON: cut short': 400,
  'no JSON: with more behind it': 400,
  'no JSON: in single quotes': 400,
  'no JSON: with a comma too many': 400,
  'no JSON: lists in lists, never closed': 400,
  'no JSON without a key': 400,
  'no JSON with an unknown key': 400,
  'a body compressed with gzip': 400,
  'a body compressed with zstd': 400,
  'a body over the cap': 413,
}
/** A parser that decodes bodies to strings has replaced invalid UTF-8. */
const REPLACED = { 'no UTF-8': 200 }

const LOST: Record<string, Record<string, number>> = {
  'express.json()': BROKEN,
  "Fastify's own parsers": { ...BROKEN, ...REPLACED, 'no JSON: empty': 400 },
  'koa-bodyparser': { ...BROKEN, ...REPLACED, 'warns of fields that are named like parts of objects': 400 },
}

// NestJS answers with the adapter and the server of Express, which run the same cases.
for (const [example, { mount }] of Object.entries(EXAMPLES).filter(([name]) => name !== 'nest.ts'))
  describe(`the API under a prefix of ${example}`, () => describeEntries({ mount, entries: MOUNTED }))

for (const [parser, mount] of Object.entries(PARSERS))
  describe(`the API behind ${parser}`, () => describeEntries({ mount, entries: MOUNTED, lost: LOST[parser] ?? {} }))
