import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const INSTALL_MS = 240_000
const execute = promisify(execFile)

/** Versions of the libraries that the generated Go and Java clients import. */
const GO_MODULE = `module generated

go 1.24.0

require (
	github.com/google/uuid v1.6.0
	github.com/oapi-codegen/runtime v1.8.0
	gopkg.in/validator.v2 v2.0.1
)
`
const JAVA_LIBRARIES = [
  ['com.fasterxml.jackson.core', 'jackson-core', '2.19.2'],
  ['com.fasterxml.jackson.core', 'jackson-annotations', '2.19.2'],
  ['com.fasterxml.jackson.core', 'jackson-databind', '2.19.2'],
  ['com.fasterxml.jackson.datatype', 'jackson-datatype-jsr310', '2.19.2'],
  ['org.openapitools', 'jackson-databind-nullable', '0.2.8'],
  ['jakarta.annotation', 'jakarta.annotation-api', '1.3.5'],
  ['com.google.code.findbugs', 'jsr305', '3.0.2'],
  ['org.openapitools', 'openapi-generator-cli', '7.17.0'],
] as const

/** The generator, in the folder of {@link installJava}. */
export const OPENAPI_GENERATOR = 'jars/openapi-generator-cli-7.17.0.jar'
/** The command of oapi-codegen, for `go run`. */
export const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
/** Versions of npm packages. The first two are the last that run on Node 20. */
export const NPM = {
  generators: ['@hey-api/openapi-ts@0.95.0', 'orval@7.13.2'],
  linters: ['@redocly/openapi-core@2.64.0', '@stoplight/spectral-core@1.24.1', '@stoplight/spectral-rulesets@1.23.1'],
  openrpc: ['@open-rpc/schema-utils-js@2.2.1', '@open-rpc/generator@1.22.3'],
} as const
/** Versions of Python packages. */
export const PYTHON = {
  clients: [
    'openapi-python-client==0.29.1',
    'urllib3==2.6.3',
    'pydantic==2.12.5',
    'python-dateutil==2.9.0.post0',
    'typing-extensions==4.15.0',
  ],
  schemathesis: ['schemathesis==4.32.5'],
} as const

/** Runs a program to its end and returns what it prints. Throws with all that it printed if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...environment }, timeout: INSTALL_MS, maxBuffer: 1 << 26 }
  const { stdout } = await execute(program, args, options).catch((cause: { stdout?: string; stderr?: string }) => {
    throw new Error(`${program} ${args.join(' ')}\n${cause.stdout ?? cause}\n${cause.stderr ?? ''}`)
  })
  return stdout
}

/** Installs tools; null, said in one line, where they cannot be had. */
export async function install<Value>(what: string, steps: () => Promise<Value>): Promise<Value | null> {
  try {
    return await steps()
  } catch {
    console.log(`Left out: ${what}, whose tools cannot be had.`)
    return null
  }
}

/** Installs npm packages; returns the folder of their commands. */
export async function installNpm(folder: string, packages: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--no-package-lock']
  await run('npm', ['install', ...flags, ...packages], folder)
  return join(folder, 'node_modules/.bin')
}

/** Installs Python packages; returns the folder of their commands. */
export async function installPython(folder: string, packages: readonly string[]): Promise<string> {
  const commands = join(folder, 'python/bin')
  await run('python3', ['-m', 'venv', 'python'], folder)
  const flags = ['--quiet', '--no-input', '--no-compile', '--disable-pip-version-check', '--retries', '1']
  await run(join(commands, 'python'), ['-m', 'pip', 'install', ...flags, ...packages], folder)
  return commands
}

/** Fetches the generator and the libraries of Java clients into the folder `jars`; returns their paths. */
export async function installJava(folder: string): Promise<string[]> {
  const dependencies = JAVA_LIBRARIES.map(
    ([group, name, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
  )
  const project = `<project><modelVersion>4.0.0</modelVersion><groupId>generated</groupId><artifactId>java</artifactId>
<version>1</version><dependencies>${dependencies.join('\n')}</dependencies></project>`
  await writeFile(join(folder, 'pom.xml'), project)
  await run('javac', ['-version'], folder)
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies'
  await run('mvn', ['-q', '-B', goal, '-DexcludeTransitive=true', '-DoutputDirectory=jars'], folder)
  return JAVA_LIBRARIES.map(([, name, version]) => join(folder, `jars/${name}-${version}.jar`))
}

/** Fetches the libraries of Go clients, and oapi-codegen. */
export async function installGo(folder: string): Promise<void> {
  await mkdir(join(folder, 'go'), { recursive: true })
  await writeFile(join(folder, 'go/go.mod'), GO_MODULE)
  await run('go', ['mod', 'download'], join(folder, 'go'))
  await run('go', ['run', OAPI_CODEGEN, '-version'], folder)
}
