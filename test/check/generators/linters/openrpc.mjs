/** Parses and validates openrpc.json with the tools of OpenRPC. */
import { readFile } from 'node:fs/promises'
import { parseOpenRPCDocument, validateOpenRPCDocument } from '@open-rpc/schema-utils-js'

const document = JSON.parse(await readFile('openrpc.json', 'utf8'))
const valid = validateOpenRPCDocument(document)
const { methods } = await parseOpenRPCDocument(document, { dereference: true })
console.log(JSON.stringify({ valid, methods: methods.map(({ name }) => name) }))
