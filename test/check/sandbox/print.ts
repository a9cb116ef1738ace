/** `npx tsx test/check/sandbox/print.ts` prints what processes tried behind which walls, as a table in Markdown. */
import { scriptArguments } from '../../script.js'
import { available } from './launchers.js'
import { markdown, prove } from './proof.js'

scriptArguments(import.meta.url)
process.stdout.write(markdown(await prove(await available())))
