import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readlink, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { output, start } from '../../server/command.js'
import { appears } from '../faults/appears.js'
import { givenFolders, ID, type Manifest, rewriteManifest } from './given.js'

const SECRET = 'root:x:0:0:a line of a file outside'

/** Puts something in the place of a file, each as what the refusal calls it; `folder` has a short path. */
const KINDS: Record<string, (path: string, folder: string) => Promise<unknown>> = {
  'a symbolic link': (path, folder) => symlink(join(folder, 'outside'), path),
  'a named pipe': async path => execFileSync('mkfifo', [path]),
  'a socket': async (path, folder) => {
    // Node removes the socket of a server that closes, so it is moved away before that.
    const server = createServer().listen(join(folder, 's'))
    await once(server, 'listening')
    await rename(join(folder, 's'), path)
    server.close()
  },
}

describe('a package or an exported project', () => {
  const given = givenFolders()
  const { changed, leftovers } = given
  before(() => writeFile(join(given.path, 'outside'), `${SECRET}\n`))

  const put = (file: string, kind: string) => async (folder: string) => {
    await rm(join(folder, file), { recursive: true, force: true })
    await KINDS[kind]?.(join(folder, file), given.path)
  }

  /** Runs a command that must be refused with this line, and print no line of a file outside. */
  const refuses = async (args: readonly string[], line: RegExp) => {
    await given.refuses(args, new RegExp(`^(?!.*root:x)(?=.*${line.source.replace(/^\^/, '')})`, 's'))
  }

  for (const kind of Object.keys(KINDS)) {
    const is = (file: string) =>
      new RegExp(`\\b${file.replace('.', '\\.')} is ${kind}: put a regular file in its place`)

    it(`with ${kind} as a file is refused by every command that reads it, and leaves nothing`, async () => {
      const tables = await changed('tables', put('sites.csv', kind))
      await refuses(['snapshot', 'seal', given.assessment, tables], is('sites.csv'))
      await refuses(['snapshot', 'check', tables], is('sites.csv'))
      for (const file of ['organizations.csv', 'projects.csv', 'sites.csv']) {
        const folder = await changed('package', put(file, kind))
        await refuses(['import', folder], is(file))
        await refuses(['snapshot', 'check', folder], is(file))
      }
      const parquet = await changed('tables', async folder => {
        await rm(join(folder, 'sites.csv'))
        await put('sites.parquet', kind)(folder)
      })
      await refuses(['snapshot', 'check', parquet], is('sites.parquet'))
    }).timeout(120_000)

    it(`with ${kind} in an exported project is refused, and leaves nothing`, async () => {
      const { snapshot } = given
      for (const file of [await given.exportedFile('sites'), await given.exportedFile('ids'), 'manifest.json']) {
        const folder = await changed('exported', put(join('snapshots', ID, snapshot, file), kind))
        await refuses(['project', 'import', folder, '--data', 'foldgate-data'], is(file))
      }
      const folder = await changed('exported', put('project.json', kind))
      await refuses(['project', 'import', folder], is('project.json'))
    })
  }

  it('is refused if a folder in it leads out of it', async () => {
    for (const name of ['snapshots', join('snapshots', ID)]) {
      const folder = await changed('exported', async copy => {
        await rm(join(copy, name), { recursive: true })
        await symlink(join(given.path, 'exported', name), join(copy, name))
      })
      await refuses(
        ['project', 'import', folder],
        /is a link that leads out of the folder: put the folder itself in its/,
      )
    }
  })

  it('is read if the folder that is named is a symbolic link itself', async () => {
    await symlink(join(given.path, 'tables'), join(given.path, 'linked tables'))
    await output(given.path, 'snapshot', 'check', join(given.path, 'linked tables'))
    await symlink(join(given.path, 'exported'), join(given.path, 'linked export'))
    await output(given.path, 'project', 'import', join(given.path, 'linked export'), '--data', 'elsewhere')
  })

  it('is refused if a manifest has a field of another type or form, in one line', async () => {
    const wrong: [change: (manifest: Manifest) => unknown, line: RegExp][] = [
      [each => (each.rootId = 7), /rootId is 7: it must be a UUID in lower case\. Export it again/],
      [each => (each.sealedAt = 'soon'), /sealedAt is "soon": it must be an RFC 3339 date-time/],
      [each => delete each.rootId, /rootId is missing: it must be a UUID/],
      [each => (each.assessmentId = ''), /assessmentId is "": it must be a string/],
      [each => delete each.tables[0]?.bytes, /tables\[0\]\.bytes is missing: it must be a whole number/],
      [each => (each.entities.count = '2'), /entities\.count is "2": it must be a whole number, 0 or more/],
      [each => ((each.tables[0] ?? {}).rows = -1), /tables\[0\]\.rows is -1: it must be a whole number, 0 or more/],
      [each => ((each.tables[0] ?? {}).rows = 1.5), /tables\[0\]\.rows is 1\.5: it must be a whole number/],
      [
        each => ((each.tables[0] ?? {}).file = '../x'),
        /tables\[0\]\.file is "\.\.\/x": it must be the name of a file in/,
      ],
      [each => ((each.tables[0] ?? {}).sha256 = 'ab'), /tables\[0\]\.sha256 is "ab": it must be 64 hexadecimal digits/],
      [each => ((each.tables[0] ?? {}).columns = {}), /tables\[0\]\.columns is \{\}: it must be a list/],
      [each => (each.warnings = [{ table: 'x' }]), /warnings\[0\]\.message is missing/],
    ]
    for (const [change, line] of wrong) {
      const folder = await changed('exported', copy => rewriteManifest(copy, given.snapshot, change))
      await refuses(['project', 'import', folder], new RegExp(`^error: [^\\n]*${line.source}[^\\n]*\\n$`))
    }
  })

  /** Ends a command by one signal while it reads, and checks that nothing is left. */
  async function interrupts(child: ChildProcess, isReading: Promise<unknown>): Promise<void> {
    const [ended, stderr] = [once(child, 'close'), text(child.stderr ?? assert.fail())]
    await isReading
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [1, null])
    assert.match(await stderr, /^error: Interrupted: /)
    assert.deepEqual(await leftovers(), [])
  }

  /** Waits until a process has a file open. */
  async function opens({ pid }: ChildProcess, file: string): Promise<void> {
    for (;;) {
      const listed = await readdir(`/proc/${pid}/fd`).catch(() => assert.fail('the command has ended'))
      const paths = await Promise.all(listed.map(fd => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
      if (paths.some(path => path.endsWith(file))) return
    }
  }

  it('whose reading takes hours is left at one SIGTERM, and the locks are released', async function () {
    if (process.platform !== 'linux') return this.skip()
    const { snapshot } = given
    // Files of 4 TiB that take no room, which no test waits for.
    const grow = (file: string) => (folder: string) => truncate(join(folder, file), 4 * 1024 ** 4)
    const endless = await changed('package', grow('sites.csv'))
    const importing = start(given.path, ['import', endless])
    await interrupts(importing, opens(importing, 'sites.csv'))
    const sites = await given.exportedFile('sites')
    const carried = await changed('exported', grow(join('snapshots', ID, snapshot, sites)))
    const carrying = start(given.path, ['project', 'import', carried])
    await interrupts(carrying, opens(carrying, sites))
    const lines = Buffer.alloc(1024 ** 2, '\n')
    const long = await changed('tables', async folder => {
      const file = await open(join(folder, 'sites.csv'), 'a')
      for (let written = 0; written < 400; written++) await file.write(lines)
      await file.close()
    })
    const scratch = join(given.path, 'foldgate-data', 'scratch')
    const sealing = start(given.path, ['snapshot', 'seal', given.assessment, long])
    await interrupts(
      sealing,
      appears(scratch, name => /sealed-[^/]*$/.test(name)),
    )
    const checking = start(given.path, ['snapshot', 'check', long, '--data', 'foldgate-data'])
    const staging = appears(join(given.path, 'foldgate-data', 'scratch'), name => name.endsWith('staging.duckdb'))
    await interrupts(checking, staging)
    await output(given.path, 'import', join(given.path, 'package'))
  }).timeout(120_000)
})
