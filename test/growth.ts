import assert from 'node:assert/strict'

const RUNS = 5
const TIMES = 16

/**
 * Fails when the processor time that this process spends on `run` grows faster than the length of its input: sixteen
 * times the length may take at most 80 times as long, where quadratic work takes 256. Other work on the machine does not
 * count; the shortest of five runs does, since the garbage collector makes some longer.
 */
export async function assertLinear(run: (length: number) => unknown, length: number, what: string): Promise<void> {
  const spent = async (size: number) => {
    const times: number[] = []
    for (let count = 0; count < RUNS; count++) {
      const before = process.cpuUsage()
      await run(size)
      times.push(process.cpuUsage(before).user)
    }
    return Math.min(...times)
  }
  const [short, long] = [await spent(length / TIMES), await spent(length)]
  assert.ok(
    long < 5 * TIMES * Math.max(short, LEAST_US),
    `${what}: ${short} µs, and ${long} µs for ${TIMES} times as much`,
  )
}

/** Below this, the clock and the garbage collector count for more than the work. */
const LEAST_US = 1_000
