import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { defineCatalogue, defineFold } from 'foldgate'
import { blocksOf } from '../../house/documents.js'
import { output, run, scratchFolder, storeOf } from '../../server/command.js'
import { kiosk, writeCatalogue, writeKiosk } from '../../server/kiosk.js'
import { linesOf } from '../../server/log.js'
import { serve, stop } from '../../server/server.js'

const scratch = scratchFolder()
const FOLDGATE = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
const MISTAKEN = defineCatalogue({
  relations: [
    ...kiosk.relations.values(),
    defineFold({ name: 'totals', about: 'A sum.', reads: ['orders'], sql: 'SELECT sum(totl) AS sum FROM orders' }),
  ],
  examples: [{ question: 'How many?', sql: 'SELECT count(*) FROM oders' }],
})

describe('the check of a catalogue', () => {
  let right: string
  let mistaken: string
  before(async () => {
    right = await writeCatalogue(scratch.path)
    mistaken = await writeCatalogue(scratch.path, MISTAKEN)
  })

  it('says in one line that a catalogue is right, that of the server too', async () => {
    const found = await run(scratch.path, ['check', '--catalogue', right])
    assert.deepEqual(
      [found.status, found.stdout, found.stderr],
      [0, 'The catalogue is right: 3 relations and 1 example were tried\n', ''],
    )
    const reference = await run(scratch.path, ['check', '--json'])
    assert.equal(reference.status, 0)
    assert.deepEqual(JSON.parse(reference.stdout).problems, [])
    assert.match(reference.stderr, /^(Note: [^\n]+\n)*$/)
  })

  it('lists mistakes one per line with their places, and ends with status 1', async () => {
    const { status, stdout, stderr } = await run(scratch.path, ['check'], {
      environment: { FOLDGATE_CATALOGUE: mistaken },
    })
    assert.equal(status, 1)
    const [fold, example, ...rest] = stdout.split('\n')
    assert.match(fold ?? '', /^fold "totals": .*"totl".*$/)
    assert.match(example ?? '', /^example 1 \("How many\?"\): .*"oders".*$/)
    assert.deepEqual(rest, [''])
    assert.match(stderr, /error: The catalogue has 2 mistakes: correct it, then check it again\n$/)
    const json = await run(scratch.path, ['check', '--catalogue', mistaken, '--json'])
    assert.equal(json.status, 1)
    const places = JSON.parse(json.stdout).problems.map(({ place }: { place: string }) => place)
    assert.deepEqual(places, ['fold "totals"', 'example 1 ("How many?")'])
  })

  it('is done by commands that seal, before anything else', async () => {
    await writeKiosk(join(scratch.path, 'tables'))
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    const project = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'A shop')
    for (const command of [
      ['seal', project, 'tables'],
      ['snapshot', 'check', 'tables'],
    ]) {
      const { status, stdout, stderr } = await run(scratch.path, [...command, '--catalogue', mistaken])
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(
        stderr,
        /^error: The catalogue has mistakes[^\n]*:\nfold "totals": .*"totl".*\nexample 1 .*"oders".*\n$/,
      )
    }
    assert.equal(await output(scratch.path, 'snapshot', 'list', project, '--json'), '[]')
  })

  it('needs no data folder, and leaves none', async () => {
    const empty = join(scratch.path, 'empty')
    await mkdir(empty)
    assert.equal((await run(empty, ['check', '--catalogue', right])).status, 0)
    assert.deepEqual(await readdir(empty), [])
  })

  it('is done by a server when it starts: it refuses mistakes, and frees its folder', async () => {
    const { status, stdout, stderr } = await run(scratch.path, ['serve', '--port', '0', '--catalogue', mistaken])
    assert.deepEqual([status, stdout], [1, ''])
    const lines = stderr.split('\n').filter(line => !line.startsWith('{'))
    assert.match(lines[0] ?? '', /^error: The catalogue has mistakes: correct it, and check it with "foldgate check":$/)
    assert.match(lines[1] ?? '', /^ {2}fold "totals": .*"totl"/)
    assert.match(lines[2] ?? '', /^ {2}example 1 \("How many\?"\): .*"oders"/)
    assert.deepEqual(lines.slice(3), [''])
    const missing = await run(scratch.path, ['serve', '--port', '0', '--catalogue', 'gone.js'])
    assert.match(missing.stderr, /^error: The catalogue "gone\.js" is not there: [^\n]+\n$/)
    const served = await serve(scratch.path, '--catalogue', right)
    assert.deepEqual(
      linesOf(served).filter(({ type }) => type === 'catalogue'),
      [],
    )
    assert.equal(await stop(served.child), 0)
    assert.deepEqual(await readdir(join(scratch.path, 'foldgate-data', 'scratch')), [])
  })

  it('is the first of the commands in the document, which prepare a project to serve', async () => {
    const below = 'A catalogue of your own'
    const commands = (await blocksOf('docs/operate.md')).find(block => block.below === below)?.code ?? ''
    const ours = commands.replace('/opt/catalogue/catalogue.js', right).replace(/^foldgate serve$/m, 'echo "$PROJECT"')
    const [folder, bin] = [join(scratch.path, 'documented'), join(scratch.path, 'bin')]
    await mkdir(bin)
    await symlink(FOLDGATE, join(bin, 'foldgate'))
    await writeKiosk(join(folder, 'tables'))
    const PATH = `${bin}:${process.env.PATH}`
    const child = spawn('bash', ['-euo', 'pipefail', '-c', ours], {
      cwd: folder,
      env: { ...(await storeOf(folder, [])), PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
    assert.equal(status, 0)
    const [project = ''] = said.trim().split('\n').slice(-1)
    assert.match(await output(folder, 'project', 'list'), new RegExp(`^${project} .* computed `, 'm'))
  })
})
