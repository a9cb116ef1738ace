import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

const ROOT = new URL('../../', import.meta.url)

/** The folders of `packages/`, each a package for one audience. */
export const OF_AUDIENCES = readdirSync(new URL('packages/', ROOT))

/** A code block of a document. */
export interface Block {
  language: string
  code: string
  /** The nearest heading above it. */
  below: string
  line: number
}

/** Reads a file of the repository. */
export function readFromRoot(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}

/** Folders and files that are generated, installed or not part of the repository. */
const MADE = /^(\.|foldgate-)|^(node_modules|dist)$/

/** Lists the files of the repository that have one of these endings. */
export async function filesOfRepository(...endings: string[]): Promise<string[]> {
  const below = async (folder: string): Promise<string[]> => {
    const entries = await readdir(new URL(folder, ROOT), { withFileTypes: true })
    const kept = entries.filter(({ name }) => !MADE.test(name) && folder + name !== 'docs/api')
    const found = kept.map(entry => (entry.isDirectory() ? below(`${folder}${entry.name}/`) : [folder + entry.name]))
    return (await Promise.all(found)).flat()
  }
  const files = await below('')
  return files.filter(file => endings.some(ending => file.endsWith(ending)))
}

/** Lists the code blocks of a document in order, whichever fence they use. */
export async function blocksOf(path: string): Promise<Block[]> {
  const blocks: Block[] = []
  let below = ''
  let open: { fence: string; block: Block } | undefined
  for (const [at, line] of (await readFromRoot(path)).split('\n').entries()) {
    const [, fence, language = ''] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? []
    if (open && fence?.startsWith(open.fence) && language === '') {
      blocks.push(open.block)
      open = undefined
    } else if (open) open.block.code += `${line}\n`
    else if (fence) open = { fence, block: { language, code: '', below, line: at + 1 } }
    else below = /^#+ (.*)$/.exec(line)?.[1] ?? below
  }
  if (open) throw new Error(`${path}:${open.block.line}: the block does not end`)
  return blocks
}
