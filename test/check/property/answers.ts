import assert from 'node:assert/strict'
import type { ErrorClass } from 'foldgate'
import type { Outcome } from '../../conformance/entry/case.js'
import { readRest } from '../../conformance/entry/rest.js'
import { type RpcAnswer, readRpc } from '../../conformance/entry/rpc.js'
import { type Check, checks, type OpenApi, type Schema } from '../../description/document.js'
import type { Service } from '../../service/service.js'
import type { Foretold } from './oracle.js'

/** Classes that depend only on the message. */
const OF_MESSAGES: readonly ErrorClass[] = ['PARSE_ERROR', 'INVALID_REQUEST', 'METHOD_NOT_FOUND', 'INVALID_PARAMS']
/** Params that may be refused even if they fit their schema, because of their value. */
const OF_WORDS: readonly unknown[] = ['page.cursor', 'relation']

/** Checks answers against their envelope, the described schema, and the prediction. */
export class Judge {
  readonly #openapi: OpenApi
  readonly #check: (schema: Schema) => Check

  private constructor(openapi: OpenApi) {
    this.#openapi = openapi
    this.#check = checks(openapi)
  }

  static async of(service: Service): Promise<Judge> {
    const response = await service.api.fetch(new Request(`${service.url}/public/v1/openapi.json`))
    return new Judge((await response.json()) as OpenApi)
  }

  async rest(method: string, response: Response, foretold: Foretold): Promise<void> {
    const text = await response.text()
    const described = this.#openapi.paths[`/public/v1/api/${method}`]?.post?.responses[response.status]
    const schema = described?.content?.['application/json']?.schema ?? { $ref: '#/components/schemas/ErrorBody' }
    assert.equal(this.#check(schema)(JSON.parse(text)), null, `${response.status} ${text.slice(0, 500)}`)
    agree(readRest(response.status, response.headers, text), foretold)
  }

  rpc(text: string, foretold: Foretold): void {
    const answer = JSON.parse(text) as RpcAnswer
    assert.equal(this.#check({ $ref: '#/components/schemas/RpcResponse' })(answer), null, text.slice(0, 500))
    // Not assert.equal, which uses Object.is: JSON writes -0 as 0.
    assert.ok(answer.id === foretold.id, `${answer.id} for ${foretold.id}`)
    agree(readRpc(answer), foretold)
  }
}

function agree({ error }: Outcome, foretold: Foretold): void {
  assert.notEqual(error?.class, 'INTERNAL')
  if (foretold.class) {
    assert.equal(error?.class, foretold.class, error?.message)
    return
  }
  const isOfWords = error?.class === 'INVALID_PARAMS' && OF_WORDS.includes(error.detail?.path)
  assert.ok(!error || isOfWords || !OF_MESSAGES.includes(error.class), JSON.stringify(error))
}
