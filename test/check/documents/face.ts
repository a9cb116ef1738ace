import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { OF_AUDIENCES } from '../../house/documents.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Something that an entry point exports. */
export interface Name {
  name: string
  /** Whether it exists at run time, as classes and constants do and interfaces do not. */
  isValue: boolean
  isFunction: boolean
  hasExample: boolean
  /** What the comment of a function says in tags: its parameters that have none, and the tags that it has. */
  untold: string[]
  tags: string[]
  /** Methods of an interface that may reject, and whose comments do not say with what, as `name.method`. */
  unsaid: string[]
  /** What lacks a comment: the name itself, or `name.member`. */
  undocumented: string[]
}

/** The declarations of each entry point of a package. */
function entriesOf(folder: string): (readonly [entry: string, file: string])[] {
  const { name, exports } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
    name: string
    exports: Record<string, { types?: string }>
  }
  return Object.entries(exports).flatMap(([entry, { types }]) =>
    types ? [[entry.replace(/^\./, name), folder + types.slice(2)] as const] : [],
  )
}

/** The published declarations of the library and its packages: a checker of their types, and the exports of each entry point. */
export function openDeclarations() {
  // foldgate-trino is experimental: its names are not agreed yet.
  const agreed = OF_AUDIENCES.filter(name => name !== 'trino')
  const folders = [ROOT, ...agreed.map(name => `${ROOT}packages/${name}/`)]
  const files = new Map(folders.flatMap(entriesOf))
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true, types: ['node'] }
  const program = ts.createProgram([...files.values()], options)
  const checker = program.getTypeChecker()
  const exportsOf = (entry: string): ts.Symbol[] => {
    const source = program.getSourceFile(files.get(entry) ?? '')
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${entry} is not built`)
    return checker.getExportsOfModule(module)
  }
  return { checker, entries: [...files.keys()], exportsOf }
}

/** The exports of each entry point of the library and its packages, types included. */
export function publicFace(): Map<string, Name[]> {
  const { checker, entries, exportsOf } = openDeclarations()
  return new Map(entries.map(entry => [entry, exportsOf(entry).map(symbol => read(symbol, checker))]))
}

function read(exported: ts.Symbol, checker: ts.TypeChecker): Name {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const { name } = exported
  const tags = symbol.getJsDocTags(checker).map(tag => tag.name)
  const declarations = symbol.declarations ?? []
  const missing = declarations.filter(each => !isDocumented(each)).map(() => name)
  const members = declarations.flatMap(each => membersOf(each)).filter(member => !isDocumented(member))
  return {
    name,
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
    isFunction: (symbol.flags & ts.SymbolFlags.Function) !== 0,
    hasExample: tags.includes('example'),
    untold: untoldParameters(symbol, checker),
    tags,
    unsaid: declarations.filter(ts.isInterfaceDeclaration).flatMap(each => unsaidMethods(each, checker)),
    undocumented: [
      ...missing,
      ...members.map(member => `${name}.${member.name?.getText() ?? ''}`),
      ...undocumentedInherited(declarations, checker).map(member => `${name}.${member}`),
      ...undocumentedOptions(symbol, checker).map(member => `${name}({ ${member} })`),
    ],
  }
}

/** Parameters of a function without a `@param`. The one of a parameter that is destructured has a name of its own. */
function untoldParameters(symbol: ts.Symbol, checker: ts.TypeChecker): string[] {
  if (!(symbol.flags & ts.SymbolFlags.Function)) return []
  const told = symbol.getJsDocTags(checker).filter(tag => tag.name === 'param').length
  return parametersOf(symbol, checker)
    .slice(told)
    .map(({ name }) => name)
}

/** Members without a comment of the objects that a function takes, whose types the library may export nowhere. */
function undocumentedOptions(symbol: ts.Symbol, checker: ts.TypeChecker): string[] {
  if (!(symbol.flags & ts.SymbolFlags.Function)) return []
  const isOurs = ({ declarations = [] }: ts.Symbol) =>
    declarations.some(each => each.getSourceFile().fileName.startsWith(`${ROOT}dist/`))
  return parametersOf(symbol, checker)
    .flatMap(parameter => checker.getNonNullableType(checker.getTypeOfSymbol(parameter)).getProperties())
    .filter(member => isOurs(member) && member.getDocumentationComment(checker).length === 0)
    .map(({ name }) => name)
}

function parametersOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly ts.Symbol[] {
  return checker.getTypeOfSymbol(symbol).getCallSignatures()[0]?.getParameters() ?? []
}

/** Methods that return a promise and do not say what they throw; the comment of the interface can say it for all. */
function unsaidMethods(declaration: ts.InterfaceDeclaration, checker: ts.TypeChecker): string[] {
  const says = (node: ts.Node) =>
    ts.getJSDocCommentsAndTags(node).some(comment => /\b(throw|reject)/i.test(comment.getText()))
  if (says(declaration)) return []
  return declaration.members
    .filter(ts.isMethodSignature)
    .filter(({ type }) => type && checker.typeToString(checker.getTypeFromTypeNode(type)).includes('Promise<'))
    .filter(method => !says(method))
    .map(method => `${declaration.name.text}.${method.name.getText()}`)
}

/** Members without a comment that interfaces have from types that follow from a schema. */
function undocumentedInherited(declarations: readonly ts.Declaration[], checker: ts.TypeChecker): string[] {
  const heirs = declarations.filter(each => ts.isInterfaceDeclaration(each) && each.members.length === 0)
  const members = heirs.flatMap(each => checker.getTypeAtLocation(each).getProperties())
  return members.filter(each => each.getDocumentationComment(checker).length === 0).map(({ name }) => name)
}

/** The comment of a constant precedes its statement. */
function isDocumented(declaration: ts.Node): boolean {
  const commented = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return ts.getJSDocCommentsAndTags(commented).some(each => ts.isJSDoc(each) && (each.comment ?? '') !== '')
}

/** Members of interfaces, of classes and of the object types within a type. Values have none. */
function membersOf(declaration: ts.Node): (ts.TypeElement | ts.ClassElement)[] {
  if (ts.isInterfaceDeclaration(declaration)) return [...declaration.members]
  if (ts.isClassDeclaration(declaration))
    return declaration.members.filter(
      member => !ts.isConstructorDeclaration(member) && member.name?.kind !== ts.SyntaxKind.PrivateIdentifier,
    )
  if (ts.isTypeAliasDeclaration(declaration)) return membersOf(declaration.type)
  if (ts.isUnionTypeNode(declaration) || ts.isIntersectionTypeNode(declaration))
    return declaration.types.flatMap(each => membersOf(each))
  return ts.isTypeLiteralNode(declaration) ? [...declaration.members] : []
}
