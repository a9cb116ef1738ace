import assert from 'node:assert/strict'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { KeyPort } from 'foldgate'
import { openTelemetry } from 'foldgate/opentelemetry'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const TABLE = VENDOR.table.name

describe('traces of calls', () => {
  const exporter = new InMemorySpanExporter()
  const askedBelow: (string | undefined)[] = []
  let service: Service

  before(async () => {
    const keys: KeyPort = {
      authenticate: (key, signal) => {
        askedBelow.push(trace.getActiveSpan()?.spanContext().spanId)
        trace.getTracer('host').startSpan('lookup').end()
        return service.host.keyPort.authenticate(key, signal)
      },
    }
    service = await startService({ engine: { connections: 1 }, keys, tracing: openTelemetry() })
  })
  beforeEach(() => {
    exporter.reset()
    askedBelow.length = 0
  })
  after(() => service.close())

  async function query(sql: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(`${service.url}/public/v1/api/projects/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.north}`, ...headers },
      body: JSON.stringify({ projectId: PROJECT, sql }),
    })
    await response.arrayBuffer()
    return response.status
  }
  const ms = ([seconds, nanos]: [number, number]) => seconds * 1_000 + nanos / 1e6

  it('are none while no provider is registered', async () => {
    assert.equal(
      openTelemetry().begin(performance.now(), () => null),
      null,
    )
    assert.equal(await query('SELECT 1 AS one'), 200)
    assert.deepEqual(askedBelow, [undefined])
  })

  describe('with a provider', () => {
    before(() => {
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
      trace.setGlobalTracerProvider(provider)
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
      propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    })
    after(() => {
      for (const each of [trace, context, propagation]) each.disable()
    })

    it('are below the header of the caller, have the phases below them, and reach the ports', async () => {
      const traceparent = `00-${TRACE}-${PARENT}-01`
      assert.equal(await query(`SELECT count(*) AS n FROM ${TABLE}`, { traceparent }), 200)
      const spans = exporter.getFinishedSpans()
      const call = spans.find(({ name }) => name === 'projects/query') as ReadableSpan
      assert.deepEqual([call.spanContext().traceId, call.parentSpanContext?.spanId], [TRACE, PARENT])
      assert.deepEqual(askedBelow, [call.spanContext().spanId])
      const { call_id, outcome, organization, project_id, relations, rows } = Object.fromEntries(
        Object.entries(call.attributes).map(([name, value]) => [name.replace('foldgate.', ''), value]),
      )
      assert.deepEqual(
        { outcome, organization, project_id, relations, rows },
        { outcome: 'OK', organization: 'north', project_id: PROJECT, relations: [TABLE], rows: 1 },
      )
      assert.equal(call_id, service.usage.at(-1)?.callId)
      const lookup = spans.find(({ name }) => name === 'lookup') as ReadableSpan
      assert.equal(lookup.parentSpanContext?.spanId, call.spanContext().spanId)
      const parts = spans.filter(span => span !== call && span !== lookup)
      assert.deepEqual(new Set(parts.map(({ name }) => name)), phases('auth', 'guard', 'build', 'wait', 'query'))
      for (const part of parts) {
        assert.equal(part.parentSpanContext?.spanId, call.spanContext().spanId)
        assert.ok(ms(part.startTime) >= ms(call.startTime) - 1 && ms(part.endTime) <= ms(call.endTime) + 1, part.name)
      }
      const spent = service.usage.at(-1)?.phasesMs.query ?? 0
      const traced = parts.filter(({ name }) => name === 'foldgate.query')
      const took = traced.reduce((sum, { startTime, endTime }) => sum + ms(endTime) - ms(startTime), 0)
      assert.ok(Math.abs(took - spent) < 1, `${took} ms of ${spent}`)
    })

    it('are below the active span of the host, which a header does not replace', async () => {
      const own = trace.getTracer('host').startSpan('request')
      await context.with(trace.setSpan(context.active(), own), () =>
        service.api.call('projects/list', {}, { authorization: `Bearer ${KEYS.north}` }),
      )
      own.end()
      const call = exporter.getFinishedSpans().find(({ name }) => name === 'projects/list')
      assert.equal(call?.parentSpanContext?.spanId, own.spanContext().spanId)
    })

    it('are errors when the service failed, and not when the caller did', async () => {
      await query('SELEC')
      const [refused] = exporter.getFinishedSpans().filter(({ name }) => name === 'projects/query')
      assert.deepEqual([refused?.attributes['foldgate.outcome'], refused?.status.code], ['INVALID_QUERY', 0])
    })

    it('are none of callers who were not sampled', async () => {
      const traceparent = `00-${TRACE}-${PARENT}-00`
      assert.equal(await query('SELECT 1 AS one', { traceparent }), 200)
      assert.equal(askedBelow.length, 1)
      assert.deepEqual(exporter.getFinishedSpans(), [], 'neither of the call nor of what the port has traced')
    })
  })
})

function phases(...names: string[]): Set<string> {
  return new Set(names.map(name => `foldgate.${name}`))
}
