import { AnalyticsError } from '../errors.js'
import type { Service } from '../methods/calls.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'
import { respondError } from './respond.js'

/** The entry point for agents, which `mcpEndpoint` of `foldgate/mcp` makes. */
export interface McpEndpoint {
  /**
   * Opens it for a service.
   *
   * @internal
   */
  open(service: Service): OpenMcp
}

/** The entry point of a service. */
export interface OpenMcp {
  answer(request: HttpRequest): Promise<HttpAnswer>
  close(): Promise<void>
}

/** Opens the entry point for agents. Calls wait for it; if it cannot be loaded, they are answered INTERNAL. */
export function openMcp(mcp: McpEndpoint | Promise<McpEndpoint>, service: Service): OpenMcp {
  const opening = Promise.resolve(mcp).then(endpoint => endpoint.open(service))
  opening.catch(() => {}) // each call gets the failure
  return {
    answer: async request => {
      const opened = await opening.catch(cause => service.admission.toError(cause))
      return opened instanceof AnalyticsError ? respondError(opened) : opened.answer(request)
    },
    close: () =>
      opening.then(
        opened => opened.close(),
        () => {},
      ),
  }
}
