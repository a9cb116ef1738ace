import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { directorySnapshots, type SnapshotLease, type SnapshotPort } from 'foldgate'
import type { SnapshotSubject } from '#contracts/snapshot-port.js'
import { smallSnapshot } from '../subjects.js'
import { never, turn, type Wrong } from './wrong.js'

const LIST = 'lists the snapshots of a project, the newest first'
const SEALED = 'opens a snapshot as it was sealed'
const SOME = 'opens a snapshot for some of its files, if it does so'
const HELD = 'keeps a snapshot whole for as long as anybody holds it'
const GONE = 'forgets a snapshot that was removed'
const HANG = 'lets no call hang when its answer is no longer wanted'

const wrong = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (port: SnapshotPort, subject: SnapshotSubject) => Partial<SnapshotPort>,
): Wrong<SnapshotSubject> => ({
  check,
  what,
  says,
  spoil(subject) {
    const { list, open } = subject.port
    return { ...subject, port: { list, open, ...spoilt(subject.port, subject) } }
  },
})

const wrongLease = (check: string, what: string, says: RegExp, spoilt: (lease: SnapshotLease) => unknown) =>
  wrong(check, what, says, ({ open }) => ({
    async open(projectId, snapshotId, signal) {
      const lease = await open(projectId, snapshotId, signal)
      return lease && ((await spoilt(lease)) as SnapshotLease)
    },
  }))

export const wrongSnapshots: Wrong<SnapshotSubject>[] = [
  wrong(LIST, 'lists the oldest first', /of a project with 12/, ({ list }) => ({
    list: async (projectId, signal) => [...(await list(projectId, signal))].reverse(),
  })),
  wrong(LIST, 'sorts numbers as strings', /of a project with 12/, ({ list }) => ({
    list: async (projectId, signal) =>
      [...(await list(projectId, signal))].sort((a, b) => (number(a) < number(b) ? 1 : -1)),
  })),
  wrong(LIST, 'rejects without a snapshot', /list\(\) rejected with/, ({ list }) => ({
    async list(projectId, signal) {
      const ids = await list(projectId, signal)
      return ids.length > 0 ? ids : Promise.reject(new Error('no such folder'))
    },
  })),
  wrongLease(SEALED, 'returns a relative path', /have an absolute path/, lease => ({
    ...lease,
    folder: relative('.', lease.folder),
  })),
  wrongLease(SEALED, 'changes a file', /not as it was sealed/, async lease => {
    await appendFile(join(lease.folder, 'entities.parquet'), '!')
    return lease
  }),
  wrongLease(SEALED, 'loses a file', /could not be read \(ENOENT\)/, async lease => {
    await rm(join(lease.folder, 'entities.parquet'), { force: true })
    return lease
  }),
  {
    check: 'answers null for a snapshot that does not exist',
    what: 'ignores the project',
    says: /a snapshot of another project answered a lease/,
    spoil(subject) {
      const owners = new Map<string, string>()
      const { list, open } = subject.port
      return {
        ...subject,
        async seal(projectId) {
          const snapshotId = await subject.seal(projectId)
          owners.set(snapshotId, projectId)
          return snapshotId
        },
        port: { list, open: (_, snapshotId, signal) => open(owners.get(snapshotId) ?? '', snapshotId, signal) },
      }
    },
  },
  wrong(
    'answers null for a snapshot that does not exist',
    'rejects for ids that are none of its own',
    /open\(\) rejected with Error: no such id/,
    ({ open }) => ({
      open: (projectId, snapshotId, signal) =>
        /^[\w-]+$/.test(snapshotId) ? open(projectId, snapshotId, signal) : Promise.reject(new Error('no such id')),
    }),
  ),
  wrong(
    'answers null for a snapshot that does not exist',
    'does not tell upper case from lower case, as file systems do',
    /open\(\) of the id "[0-9A-F-]+" answered a lease/,
    ({ open }) => ({
      open: (projectId, snapshotId, signal) => open(projectId, snapshotId.toLowerCase(), signal),
    }),
  ),
  wrong(
    'tells the manifest of a snapshot, if it does so without opening it',
    'makes up the manifest',
    /manifestOf\(\) answered/,
    ({ list }) => ({
      manifestOf: async (projectId, snapshotId, signal) =>
        (await list(projectId, signal)).includes(snapshotId) ? JSON.stringify({ formatVersion: 1, snapshotId }) : null,
    }),
  ),
  wrong(
    SOME,
    'leaves out a file that was asked for',
    /held for \["entities.parquet"\] could not be read/,
    ({ open }) => ({
      async openFiles(projectId, snapshotId, files, signal) {
        const lease = await open(projectId, snapshotId, signal)
        if (lease) for (const file of files) await rm(join(lease.folder, file), { force: true })
        return lease
      },
    }),
  ),
  wrong(SOME, 'leaves out the entity ids', /entities.bin of a snapshot that is held for \[\]/, ({ open }) => ({
    async openFiles(projectId, snapshotId, _, signal) {
      const lease = await open(projectId, snapshotId, signal)
      if (lease) await rm(join(lease.folder, 'entities.bin'), { force: true })
      return lease
    },
  })),
  wrong(SOME, 'releases each lease at once', /for some files while it is removed/, ({ open }) => ({
    async openFiles(projectId, snapshotId, _, signal) {
      const lease = await open(projectId, snapshotId, signal)
      await lease?.release()
      return lease
    },
  })),
  wrong(SOME, 'falls silent', /openFiles\(\) had not answered/, ({ open }) => ({
    openFiles: (projectId, snapshotId, _, signal) => (signal.aborted ? never : open(projectId, snapshotId, signal)),
  })),
  wrong(
    'holds a snapshot for many at once',
    'grants one lease at a time',
    /answered null; it should answer a lease/,
    ({ open }) => {
      let held = 0
      return {
        async open(projectId, snapshotId, signal) {
          const lease = held++ > 0 ? null : await open(projectId, snapshotId, signal)
          return lease && { ...lease, release: async () => void held-- }
        },
      }
    },
  ),
  wrongLease(HELD, 'releases each lease at once', /that is held while it is removed/, async lease => {
    await lease.release()
    return lease
  }),
  wrong(HELD, 'counts every release', /that somebody else has given back/, ({ open }) => {
    const leases: SnapshotLease[] = []
    let held = 0
    return {
      async open(projectId, snapshotId, signal) {
        const lease = await open(projectId, snapshotId, signal)
        if (!lease) return null
        leases.push(lease)
        held += 1
        const release = async () => {
          held -= 1
          if (held === 0) for (const { release } of leases.splice(0)) await release()
        }
        return { ...lease, release }
      },
    }
  }),
  {
    check: GONE,
    what: 'removes nothing',
    says: /after one was removed/,
    spoil: subject => ({ ...subject, remove: async () => {} }),
  },
  wrong(GONE, 'caches leases', /a snapshot that was removed answered a lease/, ({ open }) => {
    const leases = new Map<string, SnapshotLease>()
    return {
      async open(projectId, snapshotId, signal) {
        const lease = leases.get(snapshotId) ?? (await open(projectId, snapshotId, signal))
        if (lease) leases.set(snapshotId, lease)
        return lease
      },
    }
  }),
  {
    check: 'shows a snapshot when it is whole, and not before',
    what: 'writes snapshots in place',
    says: /a sealed snapshot answered null|could not be read \(ENOENT\)/,
    spoil(subject) {
      const root = mkdtemp(join(tmpdir(), 'foldgate-contract-'))
      const port = root.then(directorySnapshots)
      return {
        port: {
          list: async (projectId, signal) => (await port).list(projectId, signal),
          open: async (projectId, snapshotId, signal) => (await port).open(projectId, snapshotId, signal),
        },
        async seal(projectId) {
          const snapshotId = `000001-${randomUUID()}`
          const folder = join(await root, projectId, snapshotId)
          await mkdir(folder, { recursive: true })
          const manifest = await smallSnapshot(folder, projectId)
          await rm(join(folder, 'entities.parquet'))
          await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
          for (let turns = 0; turns < 200; turns++) await turn()
          return snapshotId
        },
        remove: async () => {},
        async close() {
          await subject.close?.()
          await rm(await root, { recursive: true })
        },
      }
    },
  },
  wrong(HANG, 'falls silent in list()', /list\(\) had not answered/, ({ list }) => ({
    list: (projectId, signal) => (signal.aborted ? never : list(projectId, signal)),
  })),
  wrong(HANG, 'falls silent in open()', /open\(\) had not answered/, ({ open }) => ({
    open: (projectId, snapshotId, signal) => (signal.aborted ? never : open(projectId, snapshotId, signal)),
  })),
]

const number = (snapshotId: string) => String(Number(snapshotId.slice(0, 6)))
