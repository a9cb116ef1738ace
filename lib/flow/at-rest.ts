import { mappedBytes } from './memory.js'

/** Run as a process of its own: prints what Node alone has mapped, in bytes. */
process.stdout.write(String(mappedBytes()))
