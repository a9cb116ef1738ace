import ts from 'typescript'
import { openDeclarations } from './face.js'

/** An interface with options, or a function and the parameter that has them; or one of these options that has its own. */
type OptionsOf = { entry: string; option?: string } & ({ type: string } | { call: string; parameter: number })

/** The page with every option of a host. */
export const OPTIONS_PAGE = 'docs/guides/options.md'

/** Where the options below each heading of the page are declared. */
const TABLES: Readonly<Record<string, OptionsOf>> = {
  createAnalyticsApi: { entry: 'foldgate', type: 'AnalyticsOptions' },
  limits: { entry: 'foldgate', type: 'Limits' },
  cors: { entry: 'foldgate', type: 'AnalyticsOptions', option: 'cors' },
  duckdbEngine: { entry: 'foldgate', call: 'duckdbEngine', parameter: 0 },
  'guard of duckdbEngine': { entry: 'foldgate', call: 'duckdbEngine', parameter: 0, option: 'guard' },
  memoryQuota: { entry: 'foldgate', call: 'memoryQuota', parameter: 0 },
  directoryExports: { entry: 'foldgate', call: 'directoryExports', parameter: 1 },
  explorePage: { entry: 'foldgate-explore', call: 'explorePage', parameter: 0 },
  s3Snapshots: { entry: 'foldgate-s3', call: 's3Snapshots', parameter: 0 },
  s3Exports: { entry: 'foldgate-s3', call: 's3Exports', parameter: 0 },
  s3ClusterFiles: { entry: 'foldgate-s3', call: 's3ClusterFiles', parameter: 0 },
  fromPostgres: { entry: 'foldgate-postgres', call: 'fromPostgres', parameter: 2 },
  serveWebSocket: { entry: 'foldgate/ws', call: 'serveWebSocket', parameter: 2 },
  mcpEndpoint: { entry: 'foldgate/mcp', call: 'mcpEndpoint', parameter: 0 },
  tokenKeys: { entry: 'foldgate/tokens', call: 'tokenKeys', parameter: 0 },
  signToken: { entry: 'foldgate/tokens', call: 'signToken', parameter: 0 },
  openSealer: { entry: 'foldgate/sealing', call: 'openSealer', parameter: 0 },
  checkCatalogue: { entry: 'foldgate/sealing', call: 'checkCatalogue', parameter: 1 },
  'seal of a sealer': { entry: 'foldgate/sealing', type: 'SealRequest' },
  'sealMany of a sealer': { entry: 'foldgate/sealing', type: 'SealManyRequest' },
}

/** The page with its tables as the comments in the declarations say. Text outside of the tables stays. */
export function withTables(page: string): string {
  const [introduction = '', ...sections] = page.split(/^(?=## )/m)
  const declarations = openDeclarations()
  const told = new Map(sections.map(section => [/^## (.*)$/m.exec(section)?.[1] ?? '', section]))
  const written = Object.entries(TABLES).map(([heading, source]) => {
    const table = ['| option | default | meaning |', '|---|---|---|', ...optionRows(source, declarations)]
    const [before = `## ${heading}\n\n`, after = ''] = told.get(heading)?.split(/^(?:\|.*\n)+/m) ?? []
    return `${before}${table.join('\n')}\n${after}`
  })
  return `${[introduction, ...written].map(section => section.trimEnd()).join('\n\n')}\n`
}

function optionRows(source: OptionsOf, { checker, exportsOf }: ReturnType<typeof openDeclarations>): string[] {
  const name = 'type' in source ? source.type : source.call
  const found = exportsOf(source.entry).find(each => each.name === name)
  if (!found) throw new Error(`${source.entry} does not export ${name}`)
  const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
  const type = typeOf(symbol, source, checker)
  const option = source.option === undefined ? undefined : type.getProperty(source.option)
  return (option ? checker.getNonNullableType(checker.getTypeOfSymbol(option)) : type)
    .getProperties()
    .map(property => rowOf(property, checker))
}

function typeOf(symbol: ts.Symbol, source: OptionsOf, checker: ts.TypeChecker): ts.Type {
  if ('type' in source) return checker.getDeclaredTypeOfSymbol(symbol)
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
  const parameter = signature?.getParameters()[source.parameter]
  if (!parameter) throw new Error(`${source.call} has no such parameter`)
  return checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
}

function rowOf(property: ts.Symbol, checker: ts.TypeChecker): string {
  const comment = ts
    .displayPartsToString(property.getDocumentationComment(checker))
    .replace(/\s+/g, ' ')
    .replace(/\{@link (\S+?) ?\}/g, '`$1`')
  const stated = / ?Default: (.+?)\.(?= [A-Z]|$)/.exec(comment)
  const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
  const byDefault = stated?.[1] ?? (isOptional ? '' : 'required')
  const meaning = comment.replace(stated?.[0] ?? '', '').replaceAll('|', '\\|')
  return `| \`${property.name}\` | ${byDefault} | ${meaning} |`
}
