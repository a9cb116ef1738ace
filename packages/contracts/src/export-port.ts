import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExportPort, StoredExport } from 'foldgate'
import {
  type Check,
  type ContractOptions,
  contract,
  must,
  mustEndWhenAborted,
  type Subject,
  shown,
  together,
  wanted,
} from './contract.js'

/** A port of exports to check. */
export interface ExportSubject extends Subject<ExportPort> {
  /** Ends the retention period of all stored exports, for instance by advancing the clock of the port. */
  lapse(): Promise<void> | void
  /**
   * Opens the same storage again, as another process would, or this one after a restart. Returns the new
   * port.
   */
  reopen(): Promise<ExportPort> | ExportPort
}

/**
 * Returns the checks that an `ExportPort` must pass. Each check makes its own subject with `makeSubject` when it runs.
 *
 * @param makeSubject - Makes a port without exports, with `lapse()`, which ends the retention of all stored exports,
 * and `reopen()`, which opens the same storage as another process would. It may have `close()`, which the check calls
 * at its end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = exportPortContract(() => {
 *   const archive = new Archive({ retentionMs: 86_400_000 })
 *   return { port: archive.exports, lapse: () => archive.passTime(86_400_001), reopen: () => archive.restart().exports }
 * })
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function exportPortContract(
  makeSubject: () => ExportSubject | Promise<ExportSubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(makeSubject, CHECKS, options)
}

const SOME_BYTES = 300_000

/** Stores bytes the way the API does: as a finished file, which is removed afterwards. */
async function put(port: ExportPort, content: Buffer, signal = wanted()): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-contract-'))
  const [exportId, path] = [randomUUID(), join(folder, 'finished.parquet')]
  try {
    await writeFile(path, content)
    await port.put({ exportId, path, bytes: content.length }, signal)
    return exportId
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function open(port: ExportPort, exportId: string): Promise<StoredExport> {
  const stored = await port.open(exportId, wanted())
  must(
    stored !== null,
    'open() of a stored export answered null',
    'answer the file until its retention is over',
  )
  return stored
}

async function mustHold(port: ExportPort, exportId: string, content: Buffer): Promise<void> {
  const stored = await open(port, exportId)
  must(
    stored.bytes === content.length,
    `open() told ${stored.bytes} of ${content.length} bytes`,
    'report the exact size',
  )
  await mustStream(stored, content)
}

async function mustStream(stored: StoredExport, content: Buffer): Promise<void> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of stored.body()) chunks.push(chunk)
  } catch (cause) {
    must(false, `the stream of body() broke with ${cause}`, 'hold the bytes that were stored, every time')
  }
  must(
    chunks.every(chunk => chunk instanceof Uint8Array),
    'body() held something else',
    'hold chunks of bytes',
  )
  const found = Buffer.concat(chunks)
  must(
    found.equals(content),
    `body() held ${found.length} bytes instead of the ${content.length} that were stored`,
    'hold those very bytes',
  )
}

async function mustBeGone(port: ExportPort, exportId: string, what: string): Promise<void> {
  const answer = await port.open(exportId, wanted())
  must(answer === null, `open() of ${what} answered ${shown(answer)}`, 'answer null')
}

const CHECKS = {
  async 'returns every byte, and reports how many there are'({ port }: ExportSubject) {
    for (const size of [1, SOME_BYTES, 5_000_000]) {
      const content = randomBytes(size)
      await mustHold(port, await put(port, content), content)
    }
  },

  async 'answers null for an export that does not exist'({ port }: ExportSubject) {
    await mustBeGone(port, randomUUID(), 'an unknown export')
  },

  async 'keeps each of many that arrive at once'({ port }: ExportSubject) {
    const contents = Array.from({ length: 8 }, () => randomBytes(SOME_BYTES))
    const exportIds = await together(contents.map(content => put(port, content)))
    await together(contents.map((content, at) => mustHold(port, exportIds[at] as string, content)))
  },

  async 'can be read by several at once, and again'({ port }: ExportSubject) {
    const content = randomBytes(SOME_BYTES)
    const stored = await open(port, await put(port, content))
    await together([mustStream(stored, content), mustStream(stored, content)])
    await mustStream(stored, content)
  },

  async 'releases a stream that is cancelled'({ port }: ExportSubject) {
    const content = randomBytes(5_000_000)
    const exportId = await put(port, content)
    for (let time = 0; time < 3; time++) {
      const reader = (await open(port, exportId)).body().getReader()
      if (time > 0) await reader.read()
      await reader
        .cancel()
        .catch((cause: unknown) => must(false, `a stream rejected its cancellation with ${cause}`, 'end'))
    }
    await mustHold(port, exportId, content)
  },

  async 'refuses a file that does not exist, and stores nothing'({ port }: ExportSubject) {
    const exportId = randomUUID()
    const path = join(tmpdir(), `foldgate-contract-${randomUUID()}`, 'missing.parquet')
    const stored = await port.put({ exportId, path, bytes: 10 }, wanted()).then(
      () => true,
      () => false,
    )
    must(!stored, 'put() of a file that does not exist said that it was stored', 'reject')
    await mustBeGone(port, exportId, 'an export whose file did not exist')
  },

  async 'keeps an export over a restart'({ port, reopen }: ExportSubject) {
    const content = randomBytes(SOME_BYTES)
    const exportId = await put(port, content)
    await mustHold(await reopen(), exportId, content)
  },

  async 'no longer has an export once its retention is over, even after a restart'(subject: ExportSubject) {
    const exportId = await put(subject.port, randomBytes(SOME_BYTES))
    await subject.lapse()
    await mustBeGone(subject.port, exportId, 'an export whose retention was over')
    await mustBeGone(
      await subject.reopen(),
      exportId,
      'an export whose retention was over before the restart',
    )
    const content = randomBytes(10)
    await mustHold(subject.port, await put(subject.port, content), content)
  },

  async 'lets no call hang when its answer is no longer wanted'({ port }: ExportSubject) {
    const content = randomBytes(SOME_BYTES)
    await mustEndWhenAborted(signal => put(port, content, signal))
    const exportId = await put(port, content)
    await mustEndWhenAborted(signal => port.open(exportId, signal))
    await mustHold(port, exportId, content)
  },
}
