import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Program } from '../programs.js'

const SOURCES = fileURLToPath(new URL('.', import.meta.url))
const OUTPUT_BYTES = 16 * 1024 * 1024
const run = promisify(execFile)

export type ProgramName = 'python' | 'node' | 'go' | 'rust' | 'spark'

/** Spark needs these packages of the JVM open. */
const OPENED = ['nio', 'lang', 'lang.invoke', 'util'].map(name => `--add-opens=java.base/java.${name}=ALL-UNNAMED`)
/** Less compilation: a start takes half the time. */
const FAST = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
const MAVEN = ['mvn', '-q', '-B', 'dependency:build-classpath', '-DincludeScope=runtime', '-Dmdep.outputFile=classpath']

/** The programs, by the folder that holds their source. */
const PROGRAMS: Record<ProgramName, Omit<Program, 'source'>> = {
  python: {
    fetch: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/python', '-m', 'pip', 'install', '-q', '--no-input', '--only-binary=:all:', '-r', 'requirements.txt'],
    ],
    start: ['venv/bin/python'],
  },
  node: {
    fetch: [['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts']],
    start: [process.execPath, 'read.mjs'],
  },
  go: {
    fetch: [['go', 'mod', 'download']],
    compile: [['go', 'build', '-o', 'read', '.']],
    start: ['./read'],
  },
  rust: {
    fetch: [
      ['cc', '--version'],
      ['cargo', 'fetch', '-q', '--locked'],
    ],
    compile: [['cargo', 'build', '-q', '--offline', '--locked', '--target-dir', 'target']],
    start: ['target/debug/read'],
  },
  spark: {
    fetch: [['javac', '-version'], MAVEN],
    compile: [['sh', '-c', 'javac -cp "$(cat classpath)" Read.java']],
    start: ['sh', '-c', `exec java ${FAST} ${OPENED.join(' ')} -cp "$(cat classpath):." Read "$@"`, 'sh'],
  },
}

/** Builds a program and returns what runs it with arguments; null if its packages or compiler cannot be had. */
export async function built(name: ProgramName): Promise<((...args: string[]) => Promise<string>) | null> {
  const program = await build({ source: join(SOURCES, name), ...PROGRAMS[name] })
  if (!program) return null
  const {
    folder,
    start: [command, ...first],
  } = program
  return async (...args) => (await run(command, [...first, ...args], { cwd: folder, maxBuffer: OUTPUT_BYTES })).stdout
}
