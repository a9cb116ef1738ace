import koffi from 'koffi'

// System calls by their numbers on x64 and arm64 (asm/unistd.h), without what libc does around them.
const NUMBERS = {
  read: [0, 63],
  openat: [257, 56],
  ioctl: [16, 29],
  fcntl: [72, 25],
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  clone: [56, 220],
  clone3: [435, 435],
  exit_group: [231, 94],
  wait4: [61, 260],
  kill: [62, 129],
  tgkill: [234, 131],
  rt_sigqueueinfo: [129, 138],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  prlimit64: [302, 261],
  mount: [165, 40],
  umount2: [166, 39],
  fsopen: [430, 430],
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  io_uring_setup: [425, 425],
  userfaultfd: [323, 282],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  keyctl: [250, 219],
  init_module: [175, 105],
  memfd_create: [319, 279],
  linkat: [265, 37],
  renameat2: [316, 276],
  symlinkat: [266, 36],
  unlinkat: [263, 35],
  truncate: [76, 45],
  fchmodat: [268, 53],
  mknodat: [259, 33],
  fchownat: [260, 54],
  mmap: [9, 222],
  munmap: [11, 215],
  mprotect: [10, 226],
  madvise: [28, 233],
  pipe2: [293, 59],
  mlock: [149, 228],
  shmget: [29, 194],
  shmctl: [31, 195],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  prctl: [157, 167],
  personality: [135, 92],
  sched_setaffinity: [203, 122],
  sched_setscheduler: [144, 119],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  sethostname: [170, 161],
  kcmp: [312, 272],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  add_key: [248, 217],
  quotactl: [179, 60],
  fanotify_init: [300, 262],
  inotify_init1: [294, 26],
  vmsplice: [278, 75],
}

const libc = koffi.load(null)
const word = 'uintptr_t'
const syscall = libc.func('syscall', 'long', ['long', word, word, word, word, word, word])
const execute = libc.func('int execve(const char *path, const char **words, const char **environment)')
const NAMES = new Map(Object.entries(koffi.os.errno).map(([name, number]) => [number, name]))

/** The working directory, as the folder that a path is relative to. */
export const AT_FDCWD = -100

function failure(call) {
  const code = NAMES.get(koffi.errno()) ?? String(koffi.errno())
  return Object.assign(new Error(`${call}: ${code}`), { code })
}

/** Makes a system call; arguments are numbers, texts and buffers. Throws with the name of the error as its `code`. */
export function call(name, ...given) {
  const number = NUMBERS[name][process.arch === 'x64' ? 0 : 1]
  const kept = given.map(each => (typeof each === 'string' ? Buffer.from(`${each}\0`) : each))
  const words = kept.map(each => (Buffer.isBuffer(each) ? koffi.address(each) : BigInt.asUintN(64, BigInt(each))))
  while (words.length < 6) words.push(0n)
  const result = Number(syscall(number, ...words))
  if (result === -1) throw failure(name)
  return result
}

/** Replaces this process with a program; returns only by throwing. */
export function exec(path, ...words) {
  execute(path, [path, ...words, null], [null])
  throw failure('execve')
}

/** Starts a process that ends at once, and waits for it. */
export function fork(make) {
  const child = make()
  if (child === 0) call('exit_group', 0)
  const WNOHANG = 1
  for (const end = performance.now() + 2_000; performance.now() < end; )
    if (call('wait4', child, 0, WNOHANG, 0) === child) return
  process.kill(child, 'SIGKILL')
  call('wait4', child, 0, 0, 0)
}

/** Two words for a buffer: where it is, and how long. */
export function vector(buffer, address = koffi.address(buffer)) {
  const words = Buffer.alloc(16)
  words.writeBigUInt64LE(BigInt(address))
  words.writeBigUInt64LE(BigInt(buffer.length), 8)
  return words
}

/** An address of a Unix socket; an abstract one has no file. */
export function unixAddress(name, isAbstract) {
  const AF_UNIX = Buffer.from([1, 0])
  return Buffer.concat([AF_UNIX, Buffer.from(isAbstract ? `\0${name}` : `${name}\0`)])
}

/** An address on loopback. */
export function loopback(port) {
  return Buffer.from([2, 0, port >> 8, port & 255, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
}
