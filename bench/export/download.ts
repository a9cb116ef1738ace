import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { AUTHORIZATION, median, timed } from '../assessed.js'
import { MemoryWatch, residentMiB } from '../bombs/watch.js'
import type { Figure } from '../run.js'

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url))
const ROUNDS = 7
const AT_ONCE = 8
const MIB = 1024 ** 2

interface Served {
  bytes: number
  ours: string
  bare: string
}

/** Measures downloads of one large file from a process of its own, and that process's memory meanwhile. */
export async function downloads(): Promise<Figure[]> {
  const host = fork(HOST, { execArgv: ['--import', 'tsx'] })
  try {
    const [served] = (await Promise.race([once(host, 'message'), endOf(host)])) as [Served]
    const ours: number[] = []
    const bare: number[] = []
    for (let round = -1; round < ROUNDS; round++) {
      const oneMs = await timed(() => download(served.ours, served.bytes))
      const otherMs = await timed(() => download(served.bare, served.bytes))
      if (round < 0) continue
      ours.push(oneMs)
      bare.push(otherMs)
    }
    const rate = (times: readonly number[]) => served.bytes / MIB / (median(times) / 1000)
    const [oursAtOnce, bareAtOnce] = [await atOnce(host, served.ours, served), await atOnce(host, served.bare, served)]
    return [
      {
        what: `download of ${(served.bytes / MIB).toFixed(0)} MiB, median of ${ROUNDS}`,
        measured: `${rate(ours).toFixed(0)} MiB/s (${((100 * rate(ours)) / rate(bare)).toFixed(0)} %)`,
        baseline: `${rate(bare).toFixed(0)} MiB/s piped by bare node:http`,
        bar: '80 %',
      },
      {
        what: `${AT_ONCE} downloads at once`,
        measured: `${oursAtOnce.rate.toFixed(0)} MiB/s (${((100 * oursAtOnce.rate) / bareAtOnce.rate).toFixed(0)} %)`,
        baseline: `${bareAtOnce.rate.toFixed(0)} MiB/s`,
        bar: '80 %',
      },
      {
        what: 'memory of the serving process meanwhile',
        measured: `+ ${oursAtOnce.grewMiB.toFixed(0)} MiB on ${oursAtOnce.beganMiB.toFixed(0)}`,
        baseline: `+ ${bareAtOnce.grewMiB.toFixed(0)} MiB`,
        bar: `flat: ${AT_ONCE} × ${(served.bytes / MIB).toFixed(0)} MiB are sent`,
      },
    ]
  } finally {
    const ended = once(host, 'exit')
    if (host.connected) host.send('close')
    if (host.exitCode === null && host.signalCode === null) await ended
  }
}

async function endOf(host: ChildProcess): Promise<never> {
  const [code] = await once(host, 'exit')
  throw new Error(`the serving process ended with ${code}`)
}

async function atOnce(host: ChildProcess, url: string, { bytes }: Served) {
  const beganMiB = residentMiB(host.pid as number)
  const watch = new MemoryWatch(host.pid as number)
  const ms = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, () => download(url, bytes))))
  watch.stop()
  return { rate: (AT_ONCE * bytes) / MIB / (ms / 1000), beganMiB, grewMiB: watch.own - beganMiB }
}

/** Downloads a file and discards it. */
function download(url: string, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { headers: { authorization: AUTHORIZATION }, agent: false }, response => {
      let read = 0
      response
        .on('data', (chunk: Buffer) => {
          read += chunk.length
        })
        .on('end', () =>
          read === bytes ? resolve() : reject(new Error(`${response.statusCode}: ${read} of ${bytes} bytes came`)),
        )
        .on('error', reject)
    })
    outgoing.on('error', reject)
  })
}
