import { type ArgumentCondition, CONDITIONAL, type Machine, numberOf, PLAIN } from './system-calls.js'

// A classic BPF program over `struct seccomp_data`: linux/filter.h, linux/seccomp.h.
const LOAD = 0x20
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const AND = 0x54
const RETURN = 0x06

const NUMBER_AT = 0
const MACHINE_AT = 4
const ARGUMENTS_AT = 16

const ALLOW = 0x7fff_0000
const FAIL_WITH = 0x0005_0000
const KILL_PROCESS = 0x8000_0000
const EPERM = 1
const ENOSYS = 38

const AUDIT: Readonly<Record<Machine, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
/** Calls of the x32 interface have this bit, and would pass for others. */
const X32 = 0x4000_0000

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number]

/**
 * The seccomp program of a process that only computes, in the form in which `bwrap --seccomp` and `setpriv
 * --seccomp-filter` read it. A call that it lacks fails with ENOSYS, and one whose arguments it refuses with
 * EPERM. Null on a machine whose calls are not known.
 */
export function seccompProgram(arch: string = process.arch): Buffer | null {
  if (arch !== 'x64' && arch !== 'arm64') return null
  const program: Instruction[] = [
    [LOAD, MACHINE_AT],
    [IF_EQUAL, AUDIT[arch], 1, 0],
    [RETURN, KILL_PROCESS],
    [LOAD, NUMBER_AT],
    [IF_AT_LEAST, X32, 0, 1],
    [RETURN, FAIL_WITH | ENOSYS],
  ]
  for (const numbers of Object.values(PLAIN)) {
    const number = numberOf(numbers, arch)
    if (number !== null) program.push([IF_EQUAL, number, 0, 1], [RETURN, ALLOW])
  }
  for (const { numbers, condition } of Object.values(CONDITIONAL)) {
    const number = numberOf(numbers, arch)
    if (number === null) continue
    const check = checkOf(condition)
    program.push([IF_EQUAL, number, 0, check.length], ...check)
  }
  program.push([RETURN, FAIL_WITH | ENOSYS])
  return assembled(program)
}

/** Returns in any case: the call is made, or fails with EPERM. Flags and commands are 32 bits wide. */
function checkOf(condition: ArgumentCondition): Instruction[] {
  const load: Instruction = [LOAD, ARGUMENTS_AT + 8 * condition.argument]
  const [allow, refuse]: Instruction[] = [
    [RETURN, ALLOW],
    [RETURN, FAIL_WITH | EPERM],
  ]
  if ('oneOf' in condition) {
    const { oneOf } = condition
    // Each comparison jumps over those after it and over the refusal.
    return [
      load,
      ...oneOf.map((value, at): Instruction => [IF_EQUAL, value, oneOf.length - at, 0]),
      refuse as Instruction,
      allow as Instruction,
    ]
  }
  const none: Instruction[] = [load, [IF_ANY_BIT, condition.none, 0, 1], refuse as Instruction]
  if ('flags' in condition) {
    const flags: Instruction = [LOAD, ARGUMENTS_AT + 8 * condition.flags]
    return [flags, [IF_ANY_BIT, condition.given, 0, none.length], ...none, allow as Instruction]
  }
  if (condition.all === 0) return [...none, allow as Instruction]
  return [
    ...none,
    [AND, condition.all],
    [IF_EQUAL, condition.all, 1, 0],
    refuse as Instruction,
    allow as Instruction,
  ]
}

function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, value, ifTrue = 0, ifFalse = 0], at) => {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(ifTrue, at * 8 + 2)
    bytes.writeUInt8(ifFalse, at * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4)
  })
  return bytes
}
