import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clusterRules, type RulesFile } from './rules/cluster-rules.js'

const USAGE = `Usage: foldgate-trino rules [options]

Writes the files that keep callers of Foldgate apart on a Trino cluster, and within limits.

  --catalog <name>   Iceberg catalog that Foldgate has for itself (default: foldgate)
  --user <name>      Foldgate's own user (default: foldgate)
  --prefix <text>    what the names of its schemas and of callers' users begin with (default: none)
  --memory <size>    memory of one statement over all workers (default: 2GB)
  --cpu <duration>   processor time of one statement over all workers (default: 10m)
  --out <folder>     writes the files there instead of printing them
  --help             prints this
`

const WHERE = `Copy these files into the folder etc of the coordinator, and restart it.
- They are for a cluster that Foldgate has for itself: everyone else is refused everything. On a shared cluster, put
  the rules, limits and groups of these files before your own.
- Nobody may reach the coordinator but Foldgate, and workers: without a password or JWT anyone is any user. Set
  http-server.authentication.type, and internal-communication.shared-secret.
- Install no plugin that runs code of callers: not functions-python.
- The catalog needs iceberg.add-files-procedure.enabled=true and iceberg.register-table-procedure.enabled=true.
`

const BAD_USAGE = 2

async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      catalog: text,
      user: text,
      prefix: text,
      memory: text,
      cpu: text,
      out: text,
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  if (positionals.length !== 1 || positionals[0] !== 'rules') {
    process.stderr.write(USAGE)
    return BAD_USAGE
  }
  const { help: _, out, ...options } = values
  const files = clusterRules(options)
  await (out === undefined ? print(files) : write(files, out))
  return 0
}

async function print(files: readonly RulesFile[]): Promise<void> {
  for (const { path, about, text } of files) process.stdout.write(`# etc/${path}: ${about}\n${text}\n`)
  process.stderr.write(WHERE)
}

async function write(files: readonly RulesFile[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { path, text } of files) await writeFile(join(folder, path), text)
  for (const { path, about } of files) process.stdout.write(`${join(folder, path)}: ${about}\n`)
  process.stdout.write(`\n${WHERE}`)
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof TypeError ? BAD_USAGE : 1
}
