import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Room } from './world.js'

/** A program of the system that starts another one behind walls. */
export interface Launcher {
  name: 'bubblewrap' | 'setpriv'
  /** The words that precede a command, and the file that it expects as file descriptor 9, if any. */
  before(room: Room): { words: string[]; fd9: string | null }
}

/** Bubblewrap: namespaces in which nothing else exists. It needs user namespaces. */
function bubblewrap(path: string): Launcher {
  return {
    name: 'bubblewrap',
    before({ reads, given, own, program }) {
      const words = [path, '--unshare-user', '--unshare-all', '--die-with-parent', '--cap-drop', 'ALL']
      for (const { path, target } of reads.links) words.push('--symlink', target, path)
      for (const path of reads.real) words.push(isDevice(path) ? '--dev-bind' : '--ro-bind', path, path)
      words.push('--proc', '/proc')
      for (const path of ofRootAlone()) words.push('--ro-bind', '/dev/null', path)
      words.push('--ro-bind', given, given, '--bind', own, own, '--remount-ro', '/proc', '--remount-ro', '/')
      words.push('--chdir', own)
      if (program !== null) words.push('--seccomp', '9')
      return { words: [...words, '--'], fd9: program }
    },
  }
}

/**
 * What only root may read in /proc, such as where pages lie in memory. A process of root may, without capabilities and
 * in its own namespaces: it still owns these files, as it owns /proc/sys.
 */
function ofRootAlone(): string[] {
  if (process.getuid?.() !== 0) return []
  const paths = readdirSync('/proc')
    .filter(name => !/^\d/.test(name))
    .map(name => join('/proc', name))
  return paths.filter(path => (lstatSync(path, { throwIfNoEntry: false })?.mode ?? OTHERS) % 8 < OTHERS)
}

/** The bit of a mode with which others read. */
const OTHERS = 4

/** `setpriv` of util-linux 2.41 or later: Landlock rules, which containers allow too. */
function setpriv(path: string): Launcher {
  return {
    name: 'setpriv',
    before({ reads, given, own, program }) {
      // A busy process does not hear that its host has gone. The seccomp program of the second setpriv forbids
      // setting this signal, and so clearing it.
      const words = [path, '--pdeathsig', 'KILL']
      // Root has no capabilities any more, nor has a program that it starts.
      if (process.getuid?.() === 0)
        words.push('--bounding-set', '-all', '--inh-caps', '-all', '--ambient-caps', '-all')
      words.push('--', path, '--no-new-privs', '--landlock-access', 'fs')
      const rule = (access: string, at: string) =>
        words.push('--landlock-rule', `path-beneath:${access}:${at}`)
      // A right of folders makes a rule for a file invalid.
      for (const path of reads.real) rule(statSync(path).isDirectory() ? `${READS},read-dir` : READS, path)
      for (const path of OF_THE_KERNEL) if (existsSync(path)) rule('read-file,read-dir', path)
      rule('read-file,read-dir', given)
      rule(WRITES, own)
      if (program !== null) words.push('--seccomp-filter', program)
      return { words: [...words, '--'], fd9: null }
    },
  }
}

const READS = 'read-file,execute'
const WRITES = 'read-file,read-dir,write-file,truncate,make-reg,make-dir,remove-file,remove-dir,refer'
/**
 * Its own folder of /proc, since the process keeps the id that the launcher has; and the limits of control
 * groups, since DuckDB ends its process when it sees them and cannot read them.
 */
const OF_THE_KERNEL = ['/proc/self', '/sys/fs/cgroup']

function isDevice(path: string): boolean {
  return path.startsWith('/dev/')
}

/** The launchers of this machine, the better one first. */
export function launchers(): Launcher[] {
  const [bwrap, priv] = [find('bwrap'), find('setpriv')]
  return [...(bwrap ? [bubblewrap(bwrap)] : []), ...(priv ? [setpriv(priv)] : [])]
}

function find(program: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    if (!folder.startsWith('/')) continue
    try {
      accessSync(join(folder, program), constants.X_OK)
      return join(folder, program)
    } catch {
      // look further
    }
  }
  return null
}
