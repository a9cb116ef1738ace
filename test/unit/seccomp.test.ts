import assert from 'node:assert/strict'
import { seccompProgram } from '#lib/sandbox/seccomp.js'

// linux/seccomp.h, linux/audit.h
const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const ERRNO = 0x0005_0000
const EPERM = ERRNO | 1
const ENOSYS = ERRNO | 38
const X86_64 = 0xc000_003e
const AARCH64 = 0xc000_00b7
const I386 = 0x4000_0003

type Verdict = typeof ALLOW | typeof KILL | typeof EPERM | typeof ENOSYS

/**
 * Runs a classic BPF program on a call, as linux/filter.h describes it: an accumulator, and the instructions that
 * a seccomp program may have, as far as ours has them. Throws where the kernel would refuse the program.
 */
function verdict(program: Buffer, machine: number, number: number, args: readonly number[] = []): number {
  const data = Buffer.alloc(64) // struct seccomp_data: nr, arch, instruction_pointer, args[6]
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(machine, 4)
  args.forEach((value, at) => {
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * at)
  })
  let accumulator = 0
  for (let at = 0; at < program.length / 8; at++) {
    const [code, k] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)]
    const jump = (isTrue: boolean) => {
      at += program.readUInt8(at * 8 + (isTrue ? 2 : 3))
    }
    if (code === 0x20) {
      assert.ok(k % 4 === 0 && k < data.length)
      accumulator = data.readUInt32LE(k) // BPF_LD | BPF_W | BPF_ABS
    } else if (code === 0x15)
      jump(accumulator === k) // BPF_JMP | BPF_JEQ | BPF_K
    else if (code === 0x35)
      jump(accumulator >= k) // BPF_JMP | BPF_JGE | BPF_K
    else if (code === 0x45)
      jump((accumulator & k) !== 0) // BPF_JMP | BPF_JSET | BPF_K
    else if (code === 0x54)
      accumulator = (accumulator & k) >>> 0 // BPF_ALU | BPF_AND | BPF_K
    else if (code === 0x06)
      return k // BPF_RET | BPF_K
    else assert.fail(`instruction ${at} has the code ${code}`)
  }
  return assert.fail('the program does not end with a return')
}

// bits/sched.h, asm-generic/fcntl.h
const THREAD_OF_GLIBC = 0x3d_0f00 // VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID
const SIGCHLD = 17
const CLONE_VM = 0x100
const NEW_NAMESPACES = [0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]
const O_CREAT = 0o100
const O_TMPFILE = 0o20000000 | 0o200000
const AT_FDCWD = -100

type Row = [call: string, x64: number | null, arm64: number | null, args: number[], expected: Verdict]

// Numbers of asm/unistd_64.h on x86, and of asm-generic/unistd.h on arm64.
const CALLS: Row[] = [
  ['read', 0, 63, [], ALLOW],
  ['write', 1, 64, [], ALLOW],
  ['execve', 59, 221, [], ALLOW],
  ['exit_group', 231, 94, [], ALLOW],
  ['futex', 202, 98, [], ALLOW],
  ['sendmsg', 46, 211, [], ENOSYS],
  ['recvmsg', 47, 212, [], ENOSYS],
  ['socket', 41, 198, [2, 1, 0], ENOSYS],
  ['socketpair', 53, 199, [], ENOSYS],
  ['connect', 42, 203, [], ENOSYS],
  ['bind', 49, 200, [], ENOSYS],
  ['listen', 50, 201, [], ENOSYS],
  ['accept4', 288, 242, [], ENOSYS],
  ['fork', 57, null, [], ENOSYS],
  ['vfork', 58, null, [], ENOSYS],
  ['clone3', 435, 435, [], ENOSYS],
  ['execveat', 322, 281, [], ENOSYS],
  ['ptrace', 101, 117, [], ENOSYS],
  ['process_vm_readv', 310, 270, [], ENOSYS],
  ['process_vm_writev', 311, 271, [], ENOSYS],
  ['tkill', 200, 130, [], ENOSYS],
  ['tgkill', 234, 131, [], ENOSYS],
  ['rt_sigqueueinfo', 129, 138, [], ENOSYS],
  ['rt_tgsigqueueinfo', 297, 240, [], ENOSYS],
  ['pidfd_open', 434, 434, [], ENOSYS],
  ['pidfd_getfd', 438, 438, [], ENOSYS],
  ['pidfd_send_signal', 424, 424, [], ENOSYS],
  ['mount', 165, 40, [], ENOSYS],
  ['umount2', 166, 39, [], ENOSYS],
  ['move_mount', 429, 429, [], ENOSYS],
  ['pivot_root', 155, 41, [], ENOSYS],
  ['chroot', 161, 51, [], ENOSYS],
  ['unshare', 272, 97, [], ENOSYS],
  ['setns', 308, 268, [], ENOSYS],
  ['setuid', 105, 146, [], ENOSYS],
  ['setrlimit', 160, 164, [], ENOSYS],
  ['open_by_handle_at', 304, 265, [], ENOSYS],
  ['openat2', 437, 437, [], ENOSYS],
  ['io_uring_setup', 425, 425, [], ENOSYS],
  ['userfaultfd', 323, 282, [], ENOSYS],
  ['bpf', 321, 280, [], ENOSYS],
  ['perf_event_open', 298, 241, [], ENOSYS],
  ['keyctl', 250, 219, [], ENOSYS],
  ['init_module', 175, 105, [], ENOSYS],
  ['finit_module', 313, 273, [], ENOSYS],
  ['kexec_load', 246, 104, [], ENOSYS],
  ['seccomp', 317, 277, [], ENOSYS],
  ['memfd_create', 319, 279, [], ENOSYS],
  ['link', 86, null, [], ENOSYS],
  ['linkat', 265, 37, [], ENOSYS],
  ['symlink', 88, null, [], ENOSYS],
  ['symlinkat', 266, 36, [], ENOSYS],
  ['mknodat', 259, 33, [], ENOSYS],
  ['chmod', 90, null, [], ENOSYS],
  ['fchmod', 91, 52, [], ENOSYS],
  ['fchmodat', 268, 53, [], ENOSYS],
  ['fchmodat2', 452, 452, [], ENOSYS],
  ['setxattr', 188, 5, [], ENOSYS],
  ['shmget', 29, 194, [], ENOSYS],
  ['shmat', 30, 196, [], ENOSYS],
  ['memfd_secret', 447, 447, [], ENOSYS],
  ['remap_file_pages', 216, 234, [], ENOSYS],
  ['personality', 135, 92, [], ENOSYS],
  ['sched_setaffinity', 203, 122, [], ENOSYS],
  ['sched_setattr', 314, 274, [], ENOSYS],
  ['kcmp', 312, 272, [], ENOSYS],
  ['name_to_handle_at', 303, 264, [], ENOSYS],
  ['quotactl', 179, 60, [], ENOSYS],
  ['fanotify_init', 300, 262, [], ENOSYS],
  ['vmsplice', 278, 75, [], ENOSYS],
  ['a call that does not exist', 5000, 5000, [], ENOSYS],
  // Threads, but no processes.
  ['clone', 56, 220, [THREAD_OF_GLIBC], ALLOW],
  ['clone', 56, 220, [SIGCHLD], EPERM],
  ['clone', 56, 220, [CLONE_VM | SIGCHLD], EPERM],
  ...NEW_NAMESPACES.map((flag): Row => ['clone', 56, 220, [THREAD_OF_GLIBC | flag], EPERM]),
  // Private memory and files, but no shared memory or stack that has no file: MAP_SHARED is 1, MAP_PRIVATE 2,
  // MAP_ANONYMOUS 0x20, MAP_GROWSDOWN 0x100, MAP_NORESERVE 0x4000, MAP_STACK 0x20000.
  ...[0x22, 0x4022, 0x2_0022, 0x01, 0x02, 0x03].map((flags): Row => ['mmap', 9, 222, [0, 4096, 3, flags], ALLOW]),
  ...[0x21, 0x23, 0x4021, 0x122, 0x121].map((flags): Row => ['mmap', 9, 222, [0, 4096, 3, flags], EPERM]),
  // Itself, but no other process.
  ['kill', 62, 129, [0, 9], ALLOW],
  ['kill', 62, 129, [1, 0], EPERM],
  ['kill', 62, 129, [-1, 9], EPERM],
  ['prlimit64', 302, 261, [0, 7], ALLOW],
  ['prlimit64', 302, 261, [1, 7], EPERM],
  // F_GETFL, F_DUPFD_CLOEXEC, F_SETOWN, F_SETOWN_EX and F_SETSIG.
  ['fcntl', 72, 25, [3, 3], ALLOW],
  ['fcntl', 72, 25, [3, 1030], ALLOW],
  ...[8, 15, 10].map((command): Row => ['fcntl', 72, 25, [3, command, 1], EPERM]),
  // FIONBIO, TIOCSTI and TIOCLINUX.
  ['ioctl', 16, 29, [0, 0x5421], ALLOW],
  ['ioctl', 16, 29, [0, 0x5412], EPERM],
  ['ioctl', 16, 29, [0, 0x541c], EPERM],
  // PR_SET_NAME, PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_MM and PR_SET_PTRACER.
  ['prctl', 157, 167, [15], ALLOW],
  ...[1, 4, 22, 35, 0x5961_6d61].map((option): Row => ['prctl', 157, 167, [option], EPERM]),
  // A file that it creates cannot be executed; one that is there can be opened whatever the mode.
  ['openat', 257, 56, [AT_FDCWD, 0, O_CREAT, 0o644], ALLOW],
  ['openat', 257, 56, [AT_FDCWD, 0, O_CREAT, 0o755], EPERM],
  ['openat', 257, 56, [AT_FDCWD, 0, O_CREAT, 0o001], EPERM],
  ['openat', 257, 56, [AT_FDCWD, 0, O_TMPFILE, 0o700], EPERM],
  ['openat', 257, 56, [AT_FDCWD, 0, 0, 0o755], ALLOW],
  ['open', 2, null, [0, O_CREAT, 0o600], ALLOW],
  ['open', 2, null, [0, O_CREAT, 0o700], EPERM],
  ['creat', 85, null, [0, 0o600], ALLOW],
  ['creat', 85, null, [0, 0o711], EPERM],
]

describe('the seccomp program', () => {
  for (const [arch, machine, column] of [
    ['x64', X86_64, 1],
    ['arm64', AARCH64, 2],
  ] as const) {
    const program = seccompProgram(arch) as Buffer

    it(`allows on ${arch} what a process needs, and nothing else`, () => {
      for (const row of CALLS) {
        const number = row[column]
        if (number === null) continue
        const [call, , , args, expected] = row
        const found = verdict(program, machine, number, args)
        assert.equal(found.toString(16), expected.toString(16), `${call}(${args.join(', ')})`)
      }
    })

    it(`ends a process on ${arch} that makes calls of another machine`, () => {
      for (const other of [X86_64, AARCH64, I386].filter(each => each !== machine))
        for (const number of [0, 1, 63, 64]) assert.equal(verdict(program, other, number), KILL)
    })

    it(`is within the limit of the kernel on ${arch}, and always returns`, () => {
      assert.equal(program.length % 8, 0)
      assert.ok(program.length / 8 <= 4096) // BPF_MAXINSNS
      for (let number = 0; number < 600; number++) verdict(program, machine, number) // none runs past its end
    })
  }

  it('has no call of the x32 interface', () => {
    const X32 = 0x4000_0000
    const program = seccompProgram('x64') as Buffer
    for (const number of [0, 1, 9, 59, 257]) {
      assert.equal(verdict(program, X86_64, number), ALLOW)
      assert.equal(verdict(program, X86_64, X32 | number), ENOSYS)
    }
  })

  it('is none for a machine whose calls are not known', () => {
    for (const arch of ['ia32', 'arm', 'riscv64', 's390x']) assert.equal(seccompProgram(arch), null)
  })
})
