import type { TableSource } from 'foldgate/sealing'
import type { SourceRows, SourceSession } from '#lib/sources/source.js'

/** A source of these chunks, without a session. */
export function sourceOf(chunks: AsyncIterable<Uint8Array>, more: Partial<SourceRows> = {}): TableSource {
  return { read: async () => ({ format: 'csv', chunks, ...more }) }
}

/** A session that logs what is done with it and its sources. */
export class Session implements SourceSession<string> {
  log: string[] = []
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  readonly #name: string
  #begun = 0
  #settle = () => {}

  constructor(name = '') {
    this.#name = name
    this.ended = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  begin = async (): Promise<string> => {
    this.log.push(`begin ${this.#name}`.trim())
    return `${this.#name} ${++this.#begun}`.trim()
  }

  end = async (handle: string, failed: boolean): Promise<void> => {
    this.log.push(`end ${handle}${failed ? ' failed' : ''}`)
    this.#settle()
  }

  /** A source in this session, whose only chunk comes after `chunk`. */
  source(name: string, chunk: () => Promise<void> = async () => {}): TableSource {
    const log = this.log
    async function* chunks() {
      try {
        await chunk()
        yield Buffer.from('a\n1\n')
      } finally {
        log.push(`end of ${name}`)
      }
    }
    return {
      session: this,
      async read(request) {
        log.push(`read ${name} in ${request.session}`)
        request.signal.addEventListener('abort', () => log.push(`signal to ${name}`))
        return { format: 'csv', chunks: chunks() }
      },
    }
  }
}
