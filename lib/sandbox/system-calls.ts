/** Machines for which the numbers of system calls are known, by their names in Node. */
export type Machine = 'x64' | 'arm64'

/** Numbers of a system call on x64 and arm64; null where there is none. */
type CallNumbers = readonly [x64: number | null, arm64: number | null]

/**
 * The system calls of a process that computes, reads and writes files and answers its host. All others do not
 * exist for it: no socket, no second process, no other process's memory, no mount, module, key or BPF program.
 */
export const PLAIN: Readonly<Record<string, CallNumbers>> = {
  // Memory.
  munmap: [11, 215],
  mprotect: [10, 226],
  mremap: [25, 216],
  madvise: [28, 233],
  brk: [12, 214],
  mincore: [27, 232],
  msync: [26, 227],
  membarrier: [324, 283],
  pkey_alloc: [330, 289],
  pkey_free: [331, 290],
  pkey_mprotect: [329, 288],
  get_mempolicy: [239, 236],
  // Threads and the process itself. `execve` starts it: what else it could start, the launcher hides.
  futex: [202, 98],
  set_robust_list: [273, 99],
  get_robust_list: [274, 100],
  set_tid_address: [218, 96],
  rseq: [334, 293],
  gettid: [186, 178],
  getpid: [39, 172],
  getppid: [110, 173],
  exit: [60, 93],
  exit_group: [231, 94],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  rt_sigpending: [127, 136],
  rt_sigtimedwait: [128, 137],
  rt_sigsuspend: [130, 133],
  sigaltstack: [131, 132],
  restart_syscall: [219, 128],
  sched_yield: [24, 124],
  sched_getaffinity: [204, 123],
  sched_getparam: [143, 121],
  sched_getscheduler: [145, 120],
  sched_get_priority_max: [146, 125],
  sched_get_priority_min: [147, 126],
  arch_prctl: [158, null],
  wait4: [61, 260],
  waitid: [247, 95],
  execve: [59, 221],
  // Calls that can only take rights away: setpriv makes them after it has loaded the program.
  capset: [126, 91],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
  // Time.
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
  clock_nanosleep: [230, 115],
  nanosleep: [35, 101],
  gettimeofday: [96, 169],
  time: [201, null],
  times: [100, 153],
  timer_create: [222, 107],
  timer_settime: [223, 110],
  timer_gettime: [224, 108],
  timer_getoverrun: [225, 109],
  timer_delete: [226, 111],
  timerfd_create: [283, 85],
  timerfd_settime: [286, 86],
  timerfd_gettime: [287, 87],
  // Input, output and polling.
  read: [0, 63],
  write: [1, 64],
  readv: [19, 65],
  writev: [20, 66],
  pread64: [17, 67],
  pwrite64: [18, 68],
  preadv: [295, 69],
  pwritev: [296, 70],
  preadv2: [327, 286],
  pwritev2: [328, 287],
  lseek: [8, 62],
  close: [3, 57],
  close_range: [436, 436],
  dup: [32, 23],
  dup2: [33, null],
  dup3: [292, 24],
  pipe: [22, null],
  pipe2: [293, 59],
  eventfd: [284, null],
  eventfd2: [290, 19],
  epoll_create: [213, null],
  epoll_create1: [291, 20],
  epoll_ctl: [233, 21],
  epoll_wait: [232, null],
  epoll_pwait: [281, 22],
  epoll_pwait2: [441, 441],
  poll: [7, null],
  ppoll: [271, 73],
  select: [23, null],
  pselect6: [270, 72],
  sendfile: [40, 71],
  copy_file_range: [326, 285],
  fsync: [74, 82],
  fdatasync: [75, 83],
  sync_file_range: [277, 84],
  flock: [73, 32],
  fadvise64: [221, 223],
  readahead: [187, 213],
  // Files, as far as the launcher shows them. Not their owner, mode, times or attributes.
  access: [21, null],
  faccessat: [269, 48],
  faccessat2: [439, 439],
  stat: [4, null],
  lstat: [6, null],
  fstat: [5, 80],
  newfstatat: [262, 79],
  statx: [332, 291],
  statfs: [137, 43],
  fstatfs: [138, 44],
  getdents: [78, null],
  getdents64: [217, 61],
  getcwd: [79, 17],
  chdir: [80, 49],
  readlink: [89, null],
  readlinkat: [267, 78],
  mkdir: [83, null],
  mkdirat: [258, 34],
  rmdir: [84, null],
  rename: [82, null],
  renameat: [264, 38],
  renameat2: [316, 276],
  unlink: [87, null],
  unlinkat: [263, 35],
  truncate: [76, 45],
  ftruncate: [77, 46],
  fallocate: [285, 47],
  umask: [95, 166],
  // The channel to the host, which is open already.
  getsockopt: [55, 209],
  setsockopt: [54, 208],
  getsockname: [51, 204],
  getpeername: [52, 205],
  shutdown: [48, 210],
  // Identity and working directory.
  getuid: [102, 174],
  geteuid: [107, 175],
  getgid: [104, 176],
  getegid: [108, 177],
  getresuid: [118, 148],
  getresgid: [120, 150],
  getgroups: [115, 158],
  capget: [125, 90],
  uname: [63, 160],
  sysinfo: [99, 179],
  getrusage: [98, 165],
  getrlimit: [97, 163],
  getcpu: [309, 168],
  getrandom: [318, 278],
}

/** What an argument must be for a call to be made; with another one, it fails with EPERM. */
export type ArgumentCondition =
  | { argument: number; oneOf: readonly number[] }
  | { argument: number; all: number; none: number }
  /** No bit of `none`, if any bit of `given` is in the argument `flags`. */
  | { argument: number; none: number; flags: number; given: number }

const THREAD = 0x1_0000
/** New namespaces: of time, mounts, cgroups, names, IPC, users, processes and networks. */
const NEW_NAMESPACES = 0x80 | 0x2_0000 | 0x7e00_0000
const EXECUTABLE = 0o111
/** O_CREAT, and what O_TMPFILE adds to O_DIRECTORY. */
const CREATES = 0x40 | 0x40_0000

/** System calls that depend on an argument. */
export const CONDITIONAL: Readonly<Record<string, { numbers: CallNumbers; condition: ArgumentCondition }>> = {
  // Memory that the limit on data counts: neither MAP_SHARED nor MAP_GROWSDOWN with MAP_ANONYMOUS.
  mmap: { numbers: [9, 222], condition: { argument: 3, none: 0x101, flags: 3, given: 0x20 } },
  // Threads, but no processes. glibc falls back to it, since there is no `clone3`, whose flags cannot be seen.
  clone: { numbers: [56, 220], condition: { argument: 0, all: THREAD, none: NEW_NAMESPACES } },
  // Its own process group, which is itself alone.
  kill: { numbers: [62, 129], condition: { argument: 0, oneOf: [0] } },
  prlimit64: { numbers: [302, 261], condition: { argument: 0, oneOf: [0] } },
  // PR_SET_NAME, PR_GET_NAME and PR_SET_VMA, which name threads and memory; PR_SET_KEEPCAPS and
  // PR_SET_NO_NEW_PRIVS, which setpriv needs.
  prctl: { numbers: [157, 167], condition: { argument: 0, oneOf: [8, 15, 16, 38, 0x5356_4d41] } },
  // Duplicates, flags and locks; not F_SETOWN, which sends signals to other processes.
  fcntl: {
    numbers: [72, 25],
    condition: { argument: 1, oneOf: [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032] },
  },
  // TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX and FIOCLEX.
  ioctl: {
    numbers: [16, 29],
    condition: { argument: 1, oneOf: [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451] },
  },
  // A file that it creates can never be executed.
  open: { numbers: [2, null], condition: { argument: 2, none: EXECUTABLE, flags: 1, given: CREATES } },
  openat: { numbers: [257, 56], condition: { argument: 3, none: EXECUTABLE, flags: 2, given: CREATES } },
  creat: { numbers: [85, null], condition: { argument: 1, all: 0, none: EXECUTABLE } },
}

/** The number of a call on a machine; null where it has none. */
export function numberOf(numbers: CallNumbers, machine: Machine): number | null {
  return numbers[machine === 'x64' ? 0 : 1]
}
