import assert from 'node:assert/strict'
import type { Served } from './server.js'

/** Reads the Prometheus samples of a server, by name and labels as printed. */
export async function metricsOf({ metricsUrl }: Pick<Served, 'metricsUrl'>): Promise<Map<string, number>> {
  const response = await fetch(metricsUrl)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const samples = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map(sample => {
      const end = sample.lastIndexOf(' ')
      return [sample.slice(0, end), Number(sample.slice(end + 1))]
    }),
  )
}

/** A `foldgate_` sample; fails if it is missing. */
export function gauge(samples: ReadonlyMap<string, number>, name: string): number {
  const value = samples.get(`foldgate_${name}`)
  assert.ok(value !== undefined, `there is no foldgate_${name} among ${[...samples.keys()].join('\n')}`)
  return value
}
