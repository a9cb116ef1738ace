import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import { AT_FDCWD, call, exec, fork, loopback, unixAddress, vector } from './native.mjs'

const O_WRONLY = 1
const O_RDWR = 2
const O_CREAT = 0x40
const AF_UNIX = 1
const AF_INET = 2
const STREAM = 1
const SIGCHLD = 17
const WHOLE_ADDRESS = 110
const NEW_TIME = 0x80
const NEW_UTS = 0x400_0000
const NEW_USER = 0x1000_0000

async function connected(options) {
  const socket = connect(options)
  await once(socket, 'connect')
  socket.destroy()
}

function nativeOpen(path, flags = 0, mode = 0) {
  fs.closeSync(call('openat', AT_FDCWD, path, flags, mode))
}

function nativeConnect(family, address) {
  const socket = call('socket', family, STREAM, 0)
  call('connect', socket, address, address.length)
  fs.closeSync(socket)
}

/** Numbers of 32 bits at offsets of a zeroed buffer. */
function structure(length, fields) {
  const bytes = Buffer.alloc(length)
  for (const [at, value] of Object.entries(fields)) bytes.writeInt32LE(value, Number(at))
  return bytes
}

/** Maps a page of memory that can be read and written, and unmaps it. */
function map(flags) {
  const [page, readAndWrite] = [4096, 3]
  call('munmap', call('mmap', 0, page, readAndWrite, flags, -1, 0), page)
}

/** Raises a limit of its own to the highest there is. */
function raiseLimit(resource) {
  call('prlimit64', 0, resource, Buffer.alloc(16, 255), 0)
}

/** Opens the first file below a folder for which that is possible; processes have none in it but this one. */
function someOpens(folder, flags, isMeant = () => true) {
  let refused
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isSymbolicLink() || /^\d/.test(entry.name)) continue
    try {
      if (entry.isDirectory()) someOpens(path, flags, isMeant)
      else if (isMeant(path)) nativeOpen(path, flags)
      else continue
      return
    } catch (cause) {
      refused = cause
    }
  }
  throw refused ?? Object.assign(new Error('it is empty'), { code: 'ENOENT' })
}

function program(path, args) {
  const { error, status } = spawnSync(path, args)
  if (error) throw error
  if (status !== 0) throw Object.assign(new Error(`it ended with ${status}`), { code: `status ${status}` })
}

/**
 * What a process tries, by name; what fails throws. `to` says where things are: `store`, `relation` and `folder` of
 * the host, the `victim`, which is another process of it, the process's own folder `own`, and what it was `given`.
 */
export const TRIES = {
  // Files of the host.
  'read the store, JavaScript': to => fs.readFileSync(to.store),
  'read the store, openat': to => nativeOpen(to.store),
  'open the store by its handle': ({ handle }) => {
    const bytes = Buffer.from(handle, 'hex')
    fs.closeSync(call('open_by_handle_at', fs.openSync('.'), bytes, 0))
  },
  "read another organization's relation, JavaScript": to => fs.readFileSync(to.relation),
  "read another organization's relation, openat": to => nativeOpen(to.relation),
  'list the folder of the host': to => {
    const isSeen = fs.readdirSync(to.folder).includes('store.db')
    if (!isSeen) throw Object.assign(new Error('it is another folder'), { code: 'ENOENT' })
  },
  'read /etc/passwd, JavaScript': () => fs.readFileSync('/etc/passwd'),
  'read /etc/passwd, openat': () => nativeOpen('/etc/passwd'),
  'write beyond its folder, JavaScript': to => fs.writeFileSync(`${to.folder}/by-javascript`, ''),
  'write beyond its folder, openat': to => nativeOpen(`${to.folder}/by-openat`, O_WRONLY | O_CREAT, 0o600),
  'write into a file that it was given': to => nativeOpen(to.given, O_WRONLY),
  'truncate a file that it was given': to => call('truncate', to.given, 5),
  'add a file to those that it was given': to => fs.writeFileSync(`${to.given}-2`, ''),
  'move away a file that it was given': to => fs.renameSync(to.given, `${to.own}/moved`),
  'link a file of its own to the host': to => call('linkat', AT_FDCWD, 'mine', AT_FDCWD, `${to.folder}/linked`, 0),
  'link a file of the host to its own': to => call('linkat', AT_FDCWD, to.store, AT_FDCWD, 'hard', 0),
  'rename a file of its own to the host': to =>
    call('renameat2', AT_FDCWD, 'renamed', AT_FDCWD, `${to.folder}/renamed`, 0),
  'hand over a symbolic link to the store': to => call('symlinkat', to.store, AT_FDCWD, 'bait'),
  'create an executable file, JavaScript': () => fs.writeFileSync('run-1', '', { mode: 0o755 }),
  'create an executable file, openat': () => nativeOpen('run-2', O_WRONLY | O_CREAT, 0o755),
  'make a file executable': () => call('fchmodat', AT_FDCWD, 'mine', 0o755),
  // The network.
  'connect to a port, JavaScript': to => connected({ port: to.port, host: '127.0.0.1' }),
  'connect to a port, natively': to => nativeConnect(AF_INET, loopback(to.port)),
  'connect to an abstract socket, JavaScript': to => connected({ path: `\0${to.abstract}` }),
  'connect to an abstract socket, natively': to => {
    const address = unixAddress(to.abstract, true)
    try {
      nativeConnect(AF_UNIX, address)
    } catch {
      nativeConnect(AF_UNIX, Buffer.concat([address], WHOLE_ADDRESS)) // Node 20 names it with all bytes of an address
    }
  },
  'connect to a socket in a folder of the host': to => nativeConnect(AF_UNIX, unixAddress(to.socket, false)),
  'listen, JavaScript': async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  },
  'listen, natively': () => {
    const socket = call('socket', AF_INET, STREAM, 0)
    call('bind', socket, loopback(0), 16)
    call('listen', socket, 1)
    fs.closeSync(socket)
  },
  // Programs.
  'run a shell, JavaScript': () => program('/bin/sh', ['-c', 'exit 0']),
  'run a second Node, JavaScript': () => program(process.execPath, ['-e', '']),
  'become a shell, execve': ({ status }) => exec('/bin/sh', '-c', `exit ${status}`),
  'fork, clone': () => fork(() => call('clone', SIGCHLD, 0, 0, 0, 0)),
  'fork, clone3': () => fork(() => call('clone3', structure(64, { 32: SIGCHLD }), 64)),
  'fork 20 times': () => {
    for (let each = 0; each < 20; each++) fork(() => call('clone', SIGCHLD, 0, 0, 0, 0))
  },
  // Other processes.
  'read the environment of a process of the host, JavaScript': to => fs.readFileSync(`/proc/${to.victim}/environ`),
  'read the environment of a process of the host, openat': to => nativeOpen(`/proc/${to.victim}/environ`),
  'open the memory of a process of the host, JavaScript': to =>
    fs.closeSync(fs.openSync(`/proc/${to.victim}/mem`, 'r')),
  'open the memory of a process of the host, openat': to => nativeOpen(`/proc/${to.victim}/mem`),
  'read memory of a process of the host': to => {
    const into = Buffer.alloc(16)
    call('process_vm_readv', to.victim, vector(into), 1, vector(into, to.address), 1, 0)
  },
  'trace a process of the host': ({ victim }) => {
    const [ATTACH, DETACH, ANY] = [16, 17, 0x4000_0000]
    call('ptrace', ATTACH, victim, 0, 0)
    call('wait4', victim, 0, ANY, 0)
    call('ptrace', DETACH, victim, 0, 0)
  },
  'signal the host, JavaScript': to => process.kill(to.host, 0),
  'signal the host, kill': to => call('kill', to.host, 0),
  'signal the host, tgkill': to => call('tgkill', to.host, to.host, 0),
  'signal the host, rt_sigqueueinfo': to => call('rt_sigqueueinfo', to.host, 0, structure(128, { 8: -1 })),
  'signal the host, pidfd_send_signal': to => {
    const descriptor = call('pidfd_open', to.host, 0)
    call('pidfd_send_signal', descriptor, 0, 0, 0)
    fs.closeSync(descriptor)
  },
  'signal the host, F_SETOWN': to => call('fcntl', fs.openSync('mine'), 8, to.host),
  'read the limits of the host': to => call('prlimit64', to.host, 7, 0, Buffer.alloc(16)),
  // Other parts of the kernel.
  'mount a file system': () => {
    fs.mkdirSync('mounted', { recursive: true })
    call('mount', 'none', 'mounted', 'tmpfs', 0, 0)
    call('umount2', 'mounted', 0)
  },
  'prepare a file system': () => fs.closeSync(call('fsopen', 'tmpfs', 1)),
  'change its root': () => call('chroot', '/'),
  'create a device': () => call('mknodat', AT_FDCWD, 'device', 0o20600, 0x103),
  'leave its namespaces, unshare': () => call('unshare', NEW_UTS),
  'enter namespaces, setns': () => call('setns', fs.openSync('/proc/self/ns/uts'), 0),
  'create a user namespace': () => fork(() => call('clone', NEW_USER | SIGCHLD, 0, 0, 0, 0)),
  'set up io_uring': () => fs.closeSync(call('io_uring_setup', 4, Buffer.alloc(120))),
  'handle page faults': () => fs.closeSync(call('userfaultfd', 1)),
  'create a BPF map': () => fs.closeSync(call('bpf', 0, structure(16, { 0: 2, 4: 4, 8: 4, 12: 1 }), 16)),
  'observe performance events': () =>
    fs.closeSync(call('perf_event_open', structure(64, { 0: 1, 4: 64, 40: 0b110_0001 }), 0, -1, -1, 0)),
  'use the keyring': () => call('keyctl', 0, -2, 1),
  'load a kernel module': () => {
    try {
      call('init_module', Buffer.alloc(4), 4, '')
    } catch (cause) {
      if (cause.code !== 'ENOEXEC') throw cause // the kernel has looked at it
    }
  },
  'create a file in memory': () => fs.closeSync(call('memfd_create', 'x', 0)),
  // The memory cap.
  'map shared memory': () => map(0x21),
  'map memory that grows down': () => map(0x122),
  'create a segment of shared memory': () => call('shmctl', call('shmget', 0, 4096, 0o1600), 0, 0),
  'lock its memory': () => {
    const page = Buffer.alloc(8192)
    call('mlock', page, 1)
  },
  'raise its limit on data': () => raiseLimit(2),
  'raise its limit on descriptors': () => raiseLimit(7),
  'raise its limit on core files': () => raiseLimit(4),
  // The kernel's settings, as files.
  'set where cores are dumped': () => nativeOpen('/proc/sys/kernel/core_pattern', O_RDWR),
  'set what loads modules': () => nativeOpen('/proc/sys/kernel/modprobe', O_RDWR),
  'set how memory is overcommitted': () => nativeOpen('/proc/sys/vm/overcommit_memory', O_WRONLY),
  'set how a network forwards': () => nativeOpen('/proc/sys/net/ipv4/ip_forward', O_WRONLY),
  'set which cores take interrupts': () => nativeOpen('/proc/irq/default_smp_affinity', O_WRONLY),
  'write a SysRq': () => nativeOpen('/proc/sysrq-trigger', O_WRONLY),
  'read the memory of the kernel': () => nativeOpen('/proc/kcore'),
  'read the log of the kernel': () => nativeOpen('/proc/kmsg'),
  'read where pages lie in memory': () => nativeOpen('/proc/kpageflags'),
  'read what the kernel has allocated': () => nativeOpen('/proc/vmallocinfo'),
  'write to any file of /proc': () => someOpens('/proc', O_WRONLY),
  'read any file of /proc that others may not, except settings': () =>
    someOpens('/proc', 0, path => !path.startsWith('/proc/sys/') && fs.lstatSync(path).mode % 8 < 4),
  'write to any file of /sys': () => someOpens('/sys', O_WRONLY),
  'set how the kernel uses pages': () => nativeOpen('/sys/kernel/mm/transparent_hugepage/enabled', O_WRONLY),
  'write to the log of the kernel': () => nativeOpen('/dev/kmsg', O_WRONLY),
  'open a terminal': () => nativeOpen('/dev/ptmx', O_RDWR | 0o400),
  'write its own memory as a file': () => nativeOpen('/proc/self/mem', O_RDWR),
  'have others end first when memory runs out': () => nativeOpen('/proc/self/oom_score_adj', O_WRONLY),
  'read /etc/passwd through its root': () => nativeOpen('/proc/self/root/etc/passwd'),
  'read /etc/passwd through the root of the first process': () => nativeOpen('/proc/1/root/etc/passwd'),
  'list processes of the host': to => {
    const isSeen = fs.readdirSync('/proc').includes(String(to.victim))
    if (!isSeen) throw Object.assign(new Error('it is another /proc'), { code: 'ENOENT' })
  },
  // Itself, and what the host could expect of it.
  'choose its cores': () => call('sched_setaffinity', 0, 8, Buffer.alloc(8, 255)),
  'run in real time': () => {
    call('sched_setscheduler', 0, 2, structure(4, { 0: 1 }))
    call('sched_setscheduler', 0, 0, structure(4, { 0: 0 }))
  },
  'raise its priority': () => call('setpriority', 0, 0, -1),
  'set its priority on disks': () => call('ioprio_set', 1, 0, (2 << 13) | 4),
  'change its personality': () => call('personality', 0x4_0000),
  'hide its memory from the host': () => call('prctl', 4, 0) ?? call('prctl', 4, 1),
  'outlive its host': () => call('prctl', 1, 0),
  'give a file of its own away': () => call('fchownat', AT_FDCWD, 'mine', process.getuid(), process.getgid(), 0),
  'name the machine': () => call('sethostname', hostname(), hostname().length),
  'leave its namespaces of time, unshare': () => call('unshare', NEW_TIME),
  'compare itself with the host': to => call('kcmp', process.pid, to.victim, 1, 0, 0),
  'write memory of a process of the host': to => {
    const from = Buffer.alloc(16)
    try {
      call('process_vm_writev', to.victim, vector(from), 1, vector(from, to.address), 1, 0)
    } catch (cause) {
      if (cause.code !== 'EFAULT') throw cause // the kernel has tried it, on a page that is only read
    }
  },
  'take a descriptor of a process of the host': to => {
    const descriptor = call('pidfd_open', to.victim, 0)
    fs.closeSync(call('pidfd_getfd', descriptor, 0, 0))
    fs.closeSync(descriptor)
  },
  'add a key': () => call('add_key', 'user', 'foldgate', 'x', 1, -2),
  'use quotas of disks': () => call('quotactl', 0x8000_0100 | 0, 0, 0, 0),
  'watch file systems, fanotify': () => fs.closeSync(call('fanotify_init', 0x200, 0)),
  'watch a folder, inotify': () => fs.closeSync(call('inotify_init1', 0)),
  'map memory into a pipe': () => call('vmsplice', fs.openSync('mine', 'r+'), vector(Buffer.alloc(0)), 0, 0),
  'make a handle of a file': () =>
    call('name_to_handle_at', AT_FDCWD, 'mine', structure(136, { 0: 128 }), Buffer.alloc(4), 0),
  'open a queue of messages': () => {
    fs.closeSync(call('mq_open', `foldgate-${process.pid}`, 0x42, 0o600, 0))
    call('mq_unlink', `foldgate-${process.pid}`)
  },
  'listen at an abstract name': to => {
    const socket = call('socket', AF_UNIX, STREAM, 0)
    const address = unixAddress(`${to.abstract}-2`, true)
    call('bind', socket, address, address.length)
    call('listen', socket, 1)
    fs.closeSync(socket)
  },
  // What it is not started with, walls or not.
  'find the environment of the host': ({ secret }) => {
    if (!fs.readFileSync('/proc/self/environ', 'latin1').includes(secret))
      throw Object.assign(new Error('it is not there'), { code: 'ENOENT' })
  },
  'find a file of the host open': to => {
    const open = fs.readdirSync('/proc/self/fd').map(each => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${each}`)
      } catch {
        return '' // the one with which the folder was read
      }
    })
    if (!open.some(path => path.startsWith(to.folder) && !path.startsWith(to.own)))
      throw Object.assign(new Error(open.join()), { code: 'ENOENT' })
  },
  'type into the terminal of the host': () => {
    const terminal = call('openat', AT_FDCWD, '/dev/tty', O_RDWR)
    call('ioctl', terminal, 0x5412, Buffer.from('x'))
  },
}
