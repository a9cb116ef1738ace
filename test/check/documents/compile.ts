import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** An error of the compiler in a line. */
export interface Complaint {
  file: string
  line: number
  text: string
}

/** Makes an empty folder a module that finds the packages of the repository. */
export async function furnish(folder: string): Promise<void> {
  await symlink(MODULES, join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
}

/** Writes files to a furnished folder, compiles them together in strict mode, and returns the errors. */
export async function complaints(
  folder: string,
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
): Promise<Complaint[]> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const program = ts.createProgram(
    Object.keys(files).map(name => join(folder, name)),
    {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2023,
      types: ['node'],
      typeRoots: [join(MODULES, '@types')],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      ...options,
    },
  )
  const ours = ts.getPreEmitDiagnostics(program).filter(({ file }) => !/node_modules/.test(file?.fileName ?? ''))
  return ours.map(({ file, start = 0, messageText }) => ({
    file: file?.fileName.split('/').at(-1) ?? '',
    line: file?.getLineAndCharacterOfPosition(start).line ?? 0,
    text: ts.flattenDiagnosticMessageText(messageText, ' '),
  }))
}
