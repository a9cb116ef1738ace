import assert from 'node:assert/strict'
import type { ErrorClass } from 'foldgate'
import type { Outcome } from '../../conformance/entry/case.js'
import { readRest } from '../../conformance/entry/rest.js'
import { type RpcAnswer, readRpc } from '../../conformance/entry/rpc.js'
import { type Check, checks, type OpenApi, type Schema } from '../../description/document.js'
import type { Service } from '../../service/service.js'
import type { Foretold } from './oracle.js'

/** Classes that are decided by the message alone. */
const OF_MESSAGES: readonly ErrorClass[] = ['PARSE_ERROR', 'INVALID_REQUEST', 'METHOD_NOT_FOUND', 'INVALID_PARAMS']
/** Params that fit their schema and may still be wrong: what they say, not what they are. */
const OF_WORDS: readonly unknown[] = ['page.cursor', 'relation']

/** Holds answers to their envelope, to the described schema, and to what was foretold. */
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
    // Not by Object.is: a number that underflows to -0 comes back as the 0 that JSON writes for it.
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
