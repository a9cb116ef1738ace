import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Warning } from 'foldgate/client'
import { KEYS, type Service, sharedService } from '../../service/service.js'
import { json, type Request, request, write } from './requests.js'

const authorization = `Bearer ${KEYS.north}`

/** Fields that no method reads, for the params and for their page. */
const strange = fc.dictionary(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'Limit', 'nextCursor', 'x', '', 'a.b', 'größe'),
  json,
  { maxKeys: 3, noNullPrototype: true },
)

interface Answer {
  result?: { url?: string; expiresAt?: string }
  warnings?: Warning[]
  error?: { data: { detail?: { warnings?: Warning[] } } }
}

describe('fields that no method reads', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  async function ask({ method, params }: { method: string; params: unknown }) {
    const text = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${write(params)}}`
    const answer = JSON.parse(await service.api.adapter.receive(text, { authorization })) as Answer
    const warnings = answer.warnings ?? answer.error?.data.detail?.warnings ?? []
    delete answer.warnings
    delete answer.error?.data.detail?.warnings
    if (answer.error?.data.detail && Object.keys(answer.error.data.detail).length === 0) delete answer.error.data.detail
    return { answer, paths: warnings.map(warning => warning.path) }
  }

  function strewn({ params }: Request, top: object, deep: object) {
    const page = params.page as object | undefined
    const rest = { ...params, ...(page ? { page: { ...deep, ...page } } : {}) }
    const paths = [...Object.keys(top), ...(page ? Object.keys(deep).map(name => `page.${name}`) : [])]
    return { params: Object.fromEntries([...Object.entries(top), ...Object.entries(rest)]), paths }
  }

  it('change nothing but the warnings, which name each field once', async () => {
    const noExport = request.filter(({ method }) => method !== 'projects/export')
    await fc.assert(
      fc.asyncProperty(noExport, strange, strange, async (call, top, deep) => {
        const { params, paths } = strewn(call, top, deep)
        const [plain, strange] = await Promise.all([ask(call), ask({ method: call.method, params })])
        assert.deepEqual(strange.answer, plain.answer)
        assert.deepEqual(plain.paths, [])
        assert.deepEqual(strange.paths.sort(), paths.sort())
      }),
      { numRuns: 250 },
    )
  })
})
