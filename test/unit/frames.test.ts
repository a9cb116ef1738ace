import assert from 'node:assert/strict'
import { type Allowance, Breach, type Frame, FrameReader, frameOf } from '#lib/flow/channel.js'

const ALL: Allowance = { head: 1_000_000, body: 1_000_000 }
const bytesOf = (...frame: Parameters<typeof frameOf>) => Buffer.concat(frameOf(...frame))

function read(parts: readonly Buffer[], allows: (kind: number) => Allowance = () => ALL): Frame[] {
  const reader = new FrameReader(allows)
  return parts.flatMap(part => [...reader.take(part)])
}

/** A frame written by hand: length of the rest, kind, length of the JSON, and what follows. */
function written(length: number, kind: number, headLength: number, rest = ''): Buffer {
  const prefix = Buffer.alloc(9)
  prefix.writeUInt32LE(length)
  prefix.writeUInt8(kind, 4)
  prefix.writeUInt32LE(headLength, 5)
  return Buffer.concat([prefix, Buffer.from(rest)])
}

describe('frames of a channel', () => {
  it('are a length, a kind, the length of the JSON, the JSON and bytes', () => {
    assert.deepEqual(bytesOf(7, { é: 1 }, Buffer.from('xyz')), written(5 + 8 + 3, 7, 8, '{"é":1}xyz'))
    assert.deepEqual(bytesOf(1, undefined), written(5, 1, 0))
  })

  it('are read alike wherever the bytes are cut', () => {
    const long = Buffer.alloc(40_000, 'é')
    const all = Buffer.concat([
      bytesOf(1, undefined),
      bytesOf(6, { a: ['é'] }, long),
      bytesOf(2, 'x'),
      bytesOf(3, null),
    ])
    const wanted = [
      { kind: 1, head: undefined, body: '' },
      { kind: 6, head: { a: ['é'] }, body: long.toString('hex') },
      { kind: 2, head: 'x', body: '' },
      { kind: 3, head: null, body: '' },
    ]
    for (const step of [1, 2, 3, 8, 9, 10, 4_096, 39_999, all.length]) {
      const parts = Array.from({ length: Math.ceil(all.length / step) }, (_, at) =>
        all.subarray(at * step, (at + 1) * step),
      )
      const frames = read(parts).map(({ kind, head, body }) => ({ kind, head, body: body.toString('hex') }))
      assert.deepEqual(frames, wanted, `in parts of ${step} bytes`)
    }
  })

  for (const [what, bytes] of [
    ['longer than is allowed', written(5 + 101, 1, 101)],
    ['with more bytes than are allowed', written(5 + 11, 1, 0)],
    ['of the greatest length', written(0xffffffff, 1, 0)],
    ['whose JSON is longer than itself', written(5, 1, 1)],
    ['that is shorter than its prefix', written(0, 1, 0)],
    ['of a kind that may not come', written(5, 9, 0)],
    ['whose JSON is none', written(6, 1, 1, '{')],
    ['whose JSON is not UTF-8', Buffer.concat([written(6, 1, 1), Buffer.of(0xff)])],
  ] as const)
    it(`are refused: one ${what}`, () => {
      const allows = (kind: number) => (kind === 1 ? { head: 100, body: 10 } : 'not now')
      assert.throws(() => read([bytes], allows), Breach)
    })

  it('are refused before their bytes are there', () => {
    const reader = new FrameReader(() => ({ head: 10, body: 10 }))
    assert.throws(() => [...reader.take(written(5 + 1_000, 1, 0))], /at most 10 and 10 may come/)
  })
})
