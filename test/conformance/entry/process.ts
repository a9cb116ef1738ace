import assert from 'node:assert/strict'
import { AnalyticsError, ERROR_CLASSES, type MethodName } from 'foldgate'
import type { Entry } from './entry.js'
import { assertMembers } from './rest.js'
import type { Site } from './world.js'

/** Calls within the process, which throw failures. */
export function processEntry({ service }: Site): Entry {
  return {
    async call({ method, params, key }) {
      const authorization = key === null ? null : `Bearer ${key}`
      try {
        const answer = await service.api.call(method as MethodName, params as never, { authorization })
        assertMembers(answer, ['result'], ['warnings'])
        return answer
      } catch (error) {
        if (!(error instanceof AnalyticsError)) throw error
        const { code, class: name, message, data } = error
        assert.deepEqual({ code, status: error.status }, ERROR_CLASSES[name])
        return { error: { code, class: name, message, ...(data ? { detail: data } : {}) } }
      }
    },
  }
}
