import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SOURCES = fileURLToPath(new URL('.', import.meta.url))
const BUILD_MS = 400_000
const OUTPUT_BYTES = 16 * 1024 * 1024
const run = promisify(execFile)

export type ProgramName = 'python' | 'node' | 'go' | 'rust' | 'spark'

/** Commands in a program's folder: what it needs, how it is compiled, and how it starts. */
interface Program {
  install: string[][]
  compile?: string[][]
  start: string[]
}

/** Spark needs these packages of the JVM open. */
const OPENED = ['nio', 'lang', 'lang.invoke', 'util'].map(name => `--add-opens=java.base/java.${name}=ALL-UNNAMED`)
/** Less compilation: a start takes half the time. */
const FAST = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
const MAVEN = ['mvn', '-q', '-B', 'dependency:build-classpath', '-DincludeScope=runtime', '-Dmdep.outputFile=classpath']

/** The programs, by the folder that holds their source. */
const PROGRAMS: Record<ProgramName, Program> = {
  python: {
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/python', '-m', 'pip', 'install', '-q', '--no-input', '--only-binary=:all:', '-r', 'requirements.txt'],
    ],
    start: ['venv/bin/python'],
  },
  node: {
    install: [['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts']],
    start: [process.execPath, 'read.mjs'],
  },
  go: {
    install: [['go', 'mod', 'download']],
    compile: [['go', 'build', '-o', 'read', '.']],
    start: ['./read'],
  },
  rust: {
    install: [
      ['cc', '--version'],
      ['cargo', 'fetch', '-q', '--locked'],
    ],
    compile: [['cargo', 'build', '-q', '--offline', '--locked', '--target-dir', 'target']],
    start: ['target/debug/read'],
  },
  spark: {
    install: [['javac', '-version'], MAVEN],
    compile: [['sh', '-c', 'javac -cp "$(cat classpath)" Read.java']],
    start: ['sh', '-c', `exec java ${FAST} ${OPENED.join(' ')} -cp "$(cat classpath):." Read "$@"`, 'sh'],
  },
}

/**
 * Builds a program unless an earlier run did, and returns what runs it; null if its packages or compiler cannot be had.
 * Throws if it does not compile.
 */
export async function built(name: ProgramName): Promise<((...args: string[]) => Promise<string>) | null> {
  const { install, compile = [], start } = PROGRAMS[name]
  const folder = await folderOf(name)
  const execute = async ([program, ...args]: string[]) =>
    (await run(program as string, args, { cwd: folder, timeout: BUILD_MS, maxBuffer: OUTPUT_BYTES })).stdout
  const done = join(folder, 'built')
  if (!(await stat(done).catch(() => null))) {
    await rm(folder, { recursive: true, force: true })
    await cp(join(SOURCES, name), folder, { recursive: true })
    try {
      for (const command of install) await execute(command)
    } catch {
      return null
    }
    for (const command of compile) await execute(command)
    await writeFile(done, '')
  }
  return (...args) => execute([...start, ...args])
}

/** A folder that outlives the run, of this user alone and of these sources. */
async function folderOf(name: ProgramName): Promise<string> {
  const kept = join(tmpdir(), `foldgate-readers-${userInfo().username}`)
  await mkdir(kept, { mode: 0o700, recursive: true })
  const { uid } = await stat(kept)
  if (process.getuid && uid !== process.getuid()) throw new Error(`${kept} belongs to another user`)
  const hash = createHash('sha256').update(JSON.stringify(PROGRAMS[name]))
  for (const path of (await readdir(join(SOURCES, name), { recursive: true })).sort())
    if ((await stat(join(SOURCES, name, path))).isFile()) hash.update(await readFile(join(SOURCES, name, path)))
  return join(kept, `${name}-${hash.digest('hex').slice(0, 16)}`)
}
