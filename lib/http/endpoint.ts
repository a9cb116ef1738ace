import type { Service } from '../methods/calls.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'
import { respondError } from './respond.js'

/** An entry point that another module makes: `mcpEndpoint` of `foldgate/mcp`, `explorePage` of `foldgate-explore`. */
export interface Endpoint {
  /**
   * Opens it for a service.
   *
   * @internal
   */
  open(service: Service): OpenEndpoint
}

/** The entry point of a service. What `answer` throws is answered as a fault. */
export interface OpenEndpoint {
  answer(request: HttpRequest): Promise<HttpAnswer>
  close?(): Promise<void>
}

/** Opens an entry point. Requests wait for it; if it cannot be loaded, they are answered INTERNAL. */
export function openEndpoint(
  endpoint: Endpoint | Promise<Endpoint>,
  service: Service,
): Required<OpenEndpoint> {
  const opening = Promise.resolve(endpoint).then(made => made.open(service))
  opening.catch(() => {}) // each call gets the failure
  return {
    answer: request =>
      opening
        .then(opened => opened.answer(request))
        .catch(cause => respondError(service.admission.toError(cause))),
    close: () =>
      opening.then(
        opened => opened.close?.(),
        () => {},
      ),
  }
}
