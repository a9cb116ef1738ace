import { appendFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { SnapshotLease, SnapshotPort } from 'foldgate'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import type { SnapshotSubject } from '#contracts/snapshot-port.js'
import { never, turn, type Wrong } from './wrong.js'

const LIST = 'lists the snapshots of a project, the newest first'
const SEALED = 'opens a snapshot as it was sealed'
const SOME = 'opens a snapshot for some of its files'
const NONE = 'answers null for a snapshot that does not exist'
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
    const { list, manifestOf, open } = subject.port
    return { ...subject, port: { list, manifestOf, open, ...spoilt(subject.port, subject) } }
  },
})

const wrongLease = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (lease: SnapshotLease, files: readonly string[]) => unknown,
) =>
  wrong(check, what, says, ({ open }) => ({
    async open(projectId, snapshotId, files, signal) {
      const lease = await open(projectId, snapshotId, files, signal)
      return lease && ((await spoilt(lease, files)) as SnapshotLease)
    },
  }))

const wrongManifest = (check: string, what: string, says: RegExp, more: object) =>
  wrong(check, what, says, ({ manifestOf }) => ({
    async manifestOf(projectId, snapshotId, signal) {
      const text = await manifestOf(projectId, snapshotId, signal)
      return text === null ? null : JSON.stringify({ ...JSON.parse(text), ...more })
    },
  }))

/** Removes the files of a snapshot, whoever holds them. */
async function removeFiles({ port }: SnapshotSubject, projectId: string, snapshotId: string): Promise<void> {
  const { signal } = new AbortController()
  const text = (await port.manifestOf(projectId, snapshotId, signal)) ?? ''
  const files = snapshotFiles(JSON.parse(text) as SnapshotManifest).map(({ file }) => file)
  const lease = await port.open(projectId, snapshotId, files, signal)
  for (const file of files) await rm(join(lease?.folder ?? '', file), { force: true })
}

/** A port whose snapshots are removed at once while `isHeld` says that nobody holds one. */
const removing = (
  check: string,
  what: string,
  says: RegExp,
  counting: () => { isHeld: () => boolean; open?: (port: SnapshotPort) => SnapshotPort['open'] },
): Wrong<SnapshotSubject> => ({
  check,
  what,
  says,
  spoil(subject) {
    const { isHeld, open = port => port.open } = counting()
    const { list, manifestOf } = subject.port
    return {
      ...subject,
      port: { list, manifestOf, open: open(subject.port) },
      async remove(projectId, snapshotId) {
        if (!isHeld()) await removeFiles(subject, projectId, snapshotId)
        await subject.remove(projectId, snapshotId)
      },
    }
  },
})

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
  wrongLease(SEALED, 'changes a file', /not as it was sealed/, async (lease, files) => {
    for (const file of files) await appendFile(join(lease.folder, file), '!')
    return lease
  }),
  wrongLease(SEALED, 'loses a file', /could not be read \(ENOENT\)/, async (lease, files) => {
    for (const file of files) await rm(join(lease.folder, file), { force: true })
    return lease
  }),
  wrongLease(SEALED, 'names its leases as it likes', /open\(\) answered the snapshot "a lease"/, lease => ({
    ...lease,
    snapshotId: 'a lease',
  })),
  wrongManifest(SEALED, 'makes up the manifest', /manifestOf\(\) answered the manifest of another/, {
    snapshotId: 'another',
  }),
  wrongManifest(SEALED, 'has manifests of another version', /a snapshot was of another format/, { formatVersion: 99 }),
  wrong(SEALED, 'has no manifests', /manifestOf\(\) of a sealed snapshot answered null/, () => ({
    manifestOf: async () => null,
  })),
  {
    check: NONE,
    what: 'ignores the project',
    says: /open\(\) of a snapshot of another project answered a lease/,
    spoil(subject) {
      const owners = new Map<string, string>()
      const { list, manifestOf, open } = subject.port
      return {
        ...subject,
        async seal(projectId) {
          const snapshotId = await subject.seal(projectId)
          owners.set(snapshotId, projectId)
          return snapshotId
        },
        port: {
          list,
          manifestOf,
          open: (_, snapshotId, files, signal) => open(owners.get(snapshotId) ?? '', snapshotId, files, signal),
        },
      }
    },
  },
  wrong(
    NONE,
    'rejects for ids that are none of its own',
    /open\(\) of the id .* rejected with Error: no such id/,
    ({ open }) => ({
      open: (projectId, snapshotId, files, signal) =>
        /^[\w-]+$/.test(snapshotId)
          ? open(projectId, snapshotId, files, signal)
          : Promise.reject(new Error('no such id')),
    }),
  ),
  wrong(
    NONE,
    'does not tell upper case from lower case, as file systems do',
    /open\(\) of the id "[0-9A-F-]+" answered a lease/,
    ({ open }) => ({
      open: (projectId, snapshotId, files, signal) => open(projectId, snapshotId.toLowerCase(), files, signal),
    }),
  ),
  wrong(NONE, 'has a manifest for every id', /manifestOf\(\) of a snapshot of another project answered "{}"/, () => ({
    manifestOf: async () => '{}',
  })),
  wrongLease(
    SOME,
    'leaves out a file that was asked for',
    /held for \[".*"\] could not be read/,
    async (lease, files) => {
      for (const file of files) await rm(join(lease.folder, file), { force: true })
      return lease
    },
  ),
  wrong(SOME, 'opens whole snapshots alone', /open\(\) of a sealed snapshot for \[\] answered null/, ({ open }) => ({
    open: async (projectId, snapshotId, files, signal) =>
      files.length === 0 ? null : open(projectId, snapshotId, files, signal),
  })),
  removing(SOME, 'does not count leases', /for one file while it is removed could not be read/, () => ({
    isHeld: () => false,
  })),
  wrong(
    'holds a snapshot for many at once',
    'grants one lease at a time',
    /answered null; it should answer a lease/,
    ({ open }) => {
      let held = 0
      return {
        async open(projectId, snapshotId, files, signal) {
          const lease = held++ > 0 ? null : await open(projectId, snapshotId, files, signal)
          return lease && { ...lease, release: async () => void held-- }
        },
      }
    },
  ),
  removing(HELD, 'does not count leases', /that is held while it is removed could not be read/, () => ({
    isHeld: () => false,
  })),
  removing(HELD, 'counts every release', /that somebody else has given back could not be read/, () => {
    let held = 0
    return {
      isHeld: () => held > 0,
      open:
        ({ open }) =>
        async (...asked) => {
          const lease = await open(...asked)
          if (lease) held += 1
          return lease && { ...lease, release: async () => void held-- }
        },
    }
  }),
  {
    check: GONE,
    what: 'removes nothing',
    says: /after one was removed/,
    spoil: subject => ({ ...subject, remove: async () => {} }),
  },
  {
    check: 'shows a snapshot when it is whole, and not before',
    what: 'lists snapshots before they can be opened',
    says: /open\(\) of a sealed snapshot for .* answered null/,
    spoil(subject) {
      const { list, manifestOf, open } = subject.port
      const early = new Set<string>()
      return {
        ...subject,
        async seal(projectId) {
          const snapshotId = await subject.seal(projectId)
          early.add(snapshotId)
          // Until the check has tried to open it, which takes longer on a busy machine.
          for (let turns = 0; early.has(snapshotId) && turns < 20_000; turns++) await turn()
          early.delete(snapshotId)
          return snapshotId
        },
        port: {
          list,
          manifestOf,
          open: async (projectId, snapshotId, files, signal) =>
            early.delete(snapshotId) ? null : open(projectId, snapshotId, files, signal),
        },
      }
    },
  },
  wrong(HANG, 'falls silent in list()', /list\(\) had not answered/, ({ list }) => ({
    list: (projectId, signal) => (signal.aborted ? never : list(projectId, signal)),
  })),
  wrong(HANG, 'falls silent in manifestOf()', /manifestOf\(\) had not answered/, ({ manifestOf }) => ({
    manifestOf: (projectId, snapshotId, signal) => (signal.aborted ? never : manifestOf(projectId, snapshotId, signal)),
  })),
  wrong(HANG, 'falls silent in open()', /open\(\) had not answered/, ({ open }) => ({
    open: (projectId, snapshotId, files, signal) =>
      signal.aborted ? never : open(projectId, snapshotId, files, signal),
  })),
]

const number = (snapshotId: string) => String(Number(snapshotId.slice(0, 6)))
