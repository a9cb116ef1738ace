import assert from 'node:assert/strict'
import type { AnalyticsEvent } from 'foldgate'
import { resolveListener } from '#lib/options.js'

const EVENT: AnalyticsEvent = { type: 'engine', what: 'died', detail: 'SIGKILL' }

describe("a host's onEvent", () => {
  it('is called at once', () => {
    const heard: AnalyticsEvent[] = []
    resolveListener({ onEvent: event => void heard.push(event) })(EVENT)
    assert.deepEqual(heard, [EVENT])
  })

  it('may be absent, throw or reject without effect', async () => {
    const fail = () => {
      throw new Error('the log is full')
    }
    const unhandled: unknown[] = []
    const hear = (cause: unknown) => unhandled.push(cause)
    process.on('unhandledRejection', hear)
    try {
      for (const onEvent of [() => {}, fail, async () => fail()]) resolveListener({ onEvent })(EVENT)
      resolveListener({})(EVENT)
      await new Promise(setImmediate)
      assert.deepEqual(unhandled, [])
    } finally {
      process.off('unhandledRejection', hear)
    }
  })
})
