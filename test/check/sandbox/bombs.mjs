import fs from 'node:fs'
import koffi from 'koffi'
import { call } from './native.mjs'

const libc = koffi.load(null)
const addressOf = name => koffi.address(libc.symbol(name, 'void'))
const MIB = 1024 ** 2
const [READ, READ_AND_WRITE] = [1, 3]
const [PRIVATE, SHARED, GROWS_DOWN] = [0x4022, 0x4021, 0x4122] // each MAP_ANONYMOUS | MAP_NORESERVE
const [POPULATE_READ, POPULATE_WRITE] = [22, 23]
const STEP = 64 * MIB
/** Of address space, which is all that it takes from the process itself. */
const MOST_STEPS = 1_000

/** Fills memory step by step, and does something with each step. */
function fill(flags, protection, then) {
  for (let step = 0; step < MOST_STEPS; step++) {
    const at = call('mmap', 0, STEP, protection, flags, -1, 0)
    then(at)
  }
}

const write = at => call('madvise', at, STEP, POPULATE_WRITE)

/** Starts threads with a small stack, in a function of libc. */
function threads(count, start, argument) {
  const create = libc.func('int pthread_create(void *thread, void *attributes, void *start, void *argument)')
  const attributes = Buffer.alloc(64)
  libc.func('int pthread_attr_init(void *attributes)')(attributes)
  libc.func('int pthread_attr_setstacksize(void *attributes, size_t bytes)')(attributes, 16_384)
  for (let each = 0; each < count; each++) {
    const code = create(Buffer.alloc(8), attributes, start, argument)
    if (code !== 0) throw Object.assign(new Error(`thread ${each}: ${code}`), { code: `thread ${each}` })
  }
  for (;;);
}

function nest(name, levels) {
  for (let level = 0; level < levels; level++) {
    fs.mkdirSync(name)
    process.chdir(name)
  }
}

/** What a process does until something ends it, by name; what fails throws. */
export const BOMBS = {
  'memory that is shared': () => fill(SHARED, READ_AND_WRITE, write),
  'memory that grows down': () => fill(GROWS_DOWN, READ_AND_WRITE, write),
  'memory of its own': () => fill(PRIVATE, READ_AND_WRITE, write),
  'memory that is written, then made read-only': () =>
    fill(PRIVATE, READ_AND_WRITE, at => {
      write(at)
      call('mprotect', at, STEP, READ)
    }),
  'tables of pages': () => {
    for (let step = 0; step < MOST_STEPS; step++) {
      const at = call('mmap', 0, STEP * 64, READ, PRIVATE, -1, 0)
      for (let page = at; page < at + STEP * 64; page += 2 * MIB) call('madvise', page, 4096, POPULATE_READ)
    }
  },
  'threads that sleep': () => threads(7_000, addressOf('sleep'), 100_000n),
  'threads that compute': () => {
    const lock = Buffer.alloc(64)
    libc.func('int pthread_spin_init(void *lock, int shared)')(lock, 0)
    libc.func('int pthread_spin_lock(void *lock)')(lock)
    threads(2_000, addressOf('pthread_spin_lock'), koffi.address(lock))
  },
  descriptors: () => {
    for (;;) fs.openSync('/dev/null')
  },
  'pipes that are full': () => {
    const ends = Buffer.alloc(8)
    for (;;) {
      call('pipe2', ends, 0o4000) // O_NONBLOCK
      fs.writeSync(ends.readInt32LE(4), Buffer.alloc(65_536))
    }
  },
  'many files': () => {
    for (let each = 0; ; each++) fs.writeFileSync(`file-${each}`, '')
  },
  'one large file': () => {
    const file = fs.openSync('large', 'w')
    for (const part = Buffer.alloc(MIB, 1); ; ) fs.writeSync(file, part)
  },
  'folders in each other': () => {
    nest('n'.repeat(250), 60)
    for (;;);
  },
  'names that are no text, and folders without rights': () => {
    fs.mkdirSync('closed')
    fs.writeFileSync(Buffer.from([0x63, 0x6c, 0x6f, 0x73, 0x65, 0x64, 0x2f, 0xff, 0xfe]), '')
    fs.mkdirSync('without', { mode: 0 })
  },
}
