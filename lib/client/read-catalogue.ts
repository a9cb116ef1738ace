import { PATHS } from '../call/paths-and-headers.js'
import type { DescribedCatalogue } from '../catalogue-document.js'
import { ask, readFailure, readJson, strange, type Target } from './transport.js'

const NAME = 'catalogue'

/** Reads the catalogue of a service, over HTTP whatever the transport of the calls. */
export async function readCatalogue(target: Target, signal: AbortSignal): Promise<DescribedCatalogue> {
  const response = await ask(target, PATHS.catalogue, { signal })
  const value = await readJson(response, NAME, signal)
  const { relations, examples } = (value ?? {}) as Partial<DescribedCatalogue>
  if (response.ok && Array.isArray(relations) && Array.isArray(examples)) return { relations, examples }
  throw readFailure(value, NAME, response.headers) ?? strange(NAME, response)
}
