// A host whose process is busy for good: `dying-host.ts FOLDER LAUNCHER` prints the id of the process.
import { JobProcess } from '#lib/flow/parent.js'
import { NO_SANDBOX } from '#lib/sandbox/sandbox.js'
import { WALLS } from '#lib/sandbox/walls.js'
import { World } from '#lib/sandbox/world.js'
import { text } from '#lib/schema.js'
import { scriptArguments } from '../../script.js'
import { MEMORY_LIMIT_BYTES, SCRIPT } from './host.js'
import { type Available, available } from './launchers.js'

const [folder, name] = scriptArguments(import.meta.url, 'FOLDER', 'LAUNCHER')
const launcher = name === 'none' ? null : (await available())[name as keyof Available]
const job = new JobProcess<string>({
  script: SCRIPT,
  world: new World(folder),
  sandbox: launcher ? { launcher, walls: WALLS, missing: null } : NO_SANDBOX,
  settings: {},
  memoryLimitBytes: MEMORY_LIMIT_BYTES,
  failures: text('What has failed.'),
})
await job.ready
job.run('stay', { schema: text('') }).catch(() => {})
process.stdout.write(`${job.pid}\n`)
