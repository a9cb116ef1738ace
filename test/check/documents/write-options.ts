import { writeFile } from 'node:fs/promises'
import { readFromRoot } from '../../house/documents.js'
import { scriptArguments } from '../../script.js'
import { OPTIONS_PAGE, withTables } from './option-tables.js'

/** Writes the tables of the page of options anew, after a build. */
scriptArguments(import.meta.url)
const page = new URL(`../../../${OPTIONS_PAGE}`, import.meta.url)
await writeFile(page, withTables(await readFromRoot(OPTIONS_PAGE)))
