import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { mcpEndpoint } from 'foldgate/mcp'
import { type Agent, connectAgent } from '../check/mcp/agent.js'
import { PROJECT, type Service, startService } from '../service/service.js'
import type { Dialect } from './dialects.js'
import { madeCatalogue, madeFiles } from './made.js'
import { play, playedTable } from './play.js'

// biome-ignore lint/suspicious/noExplicitAny: a fake reads members of requests of both dialects
type Body = any

interface Received {
  path: string | undefined
  headers: IncomingHttpHeaders
  body: Body
}

/** A call of a tool, or `null` for an end without one. */
type Turn = { name: string; params: object | string } | null

const say = (text: string): Turn => ({ name: 'projects_query', params: { projectId: PROJECT, sql: text } })

/** What a model says in a turn, in its dialect. */
const ANSWERS: Record<Dialect, (turn: Turn, id: string) => object> = {
  openai: (turn, id) => {
    if (turn === null) return { choices: [{ message: { role: 'assistant', content: 'Done.' } }] }
    const params = typeof turn.params === 'string' ? turn.params : JSON.stringify(turn.params)
    const call = { id, type: 'function', function: { name: turn.name, arguments: params } }
    return { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] }
  },
  anthropic: (turn, id) => {
    const text = { type: 'text', text: 'Well.' }
    return { content: turn === null ? [text] : [text, { type: 'tool_use', id, name: turn.name, input: turn.params }] }
  },
}

/** The texts of the tools' answers that a request carries last, by the ids of their calls. */
const TOLD: Record<Dialect, (body: Body) => [id: string, text: string]> = {
  openai: ({ messages }) => {
    const { role, tool_call_id: id, content } = messages.at(-1)
    assert.equal(role, 'tool')
    return [id, content]
  },
  anthropic: ({ messages }) => {
    const { role, content } = messages.at(-1)
    assert.deepEqual([role, content.length, content[0].type], ['user', 1, 'tool_result'])
    return [content[0].tool_use_id, content[0].content]
  },
}

const PATHS = { openai: '/base/v1/chat/completions', anthropic: '/base/v1/messages' }
const RIGHT = "SELECT count(*) AS n, 'x' AS more FROM meters WHERE level = 'high'"
const WRONG = "SELECT count(*) AS n FROM meters WHERE level <> 'high'"
const FLAGGED = "SELECT count(*) AS n FROM meters WHERE level = 'High'"
const QUESTION = { question: 'How many meters are of the level high?', golden: [[4]] }

describe('a model that plays the questions', () => {
  let service: Service
  let agent: Agent
  let server: Server
  let received: Received[] = []
  let turns: (Turn | number)[] = []
  before(async () => {
    service = await startService({ catalogue: madeCatalogue, files: madeFiles, mcp: mcpEndpoint() })
    agent = await connectAgent(service)
    server = createServer(async (request, response) => {
      const { url: path, headers } = request
      received.push({ path, headers, body: await json(request) })
      const turn = turns[Math.min(received.length, turns.length) - 1] ?? null
      const dialect = path === PATHS.openai ? 'openai' : 'anthropic'
      if (typeof turn === 'number') response.statusCode = turn
      response.end(JSON.stringify(typeof turn === 'number' ? {} : ANSWERS[dialect](turn, `call-${received.length}`)))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await agent.close()
    await service.close()
  })

  /** Plays the question with a model that says this, the last of it again and again. */
  async function ask(dialect: Dialect, ...said: (Turn | number)[]) {
    received = []
    turns = said
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
    return play(QUESTION, { url, name: 'a-model', dialect, key: 'secret' }, agent)
  }

  for (const dialect of ['openai', 'anthropic'] as const)
    describe(`in the dialect ${dialect}`, () => {
      it('is right by the rows of its query, whatever else they have', async () => {
        assert.deepEqual(await ask(dialect, say(RIGHT), null), { outcome: 'right', turns: 2, note: RIGHT })
        const [first, second] = received
        assert.deepEqual([received.length, first?.path, first?.body.model], [2, PATHS[dialect], 'a-model'])
        const { authorization, 'x-api-key': apiKey, 'anthropic-version': version } = first?.headers ?? {}
        assert.deepEqual(
          [authorization, apiKey, version],
          dialect === 'openai' ? ['Bearer secret', undefined, undefined] : [undefined, 'secret', '2023-06-01'],
        )
        const [id, text] = TOLD[dialect](second?.body)
        assert.equal(id, 'call-1')
        assert.deepEqual(JSON.parse(text.split('\n')[0] ?? '').result.rows, [[4, 'x']])
      })

      it('is told the question, its project and the tools that MCP lists', async () => {
        await ask(dialect, null)
        const { tools, messages, system } = received[0]?.body ?? {}
        const listed = (await agent.client.listTools()).tools
        const shapes: Record<Dialect, (tool: Body) => unknown[]> = {
          openai: ({ type, function: { name, description, parameters } }) => [type, name, description, parameters],
          anthropic: ({ name, description, input_schema: schema }) => ['function', name, description, schema],
        }
        assert.ok(listed.length >= 4)
        assert.deepEqual(
          tools.map(shapes[dialect]),
          listed.map(({ name, description, inputSchema }) => ['function', name, description, inputSchema]),
        )
        assert.deepEqual([messages.at(-1).role, messages.length], ['user', dialect === 'openai' ? 2 : 1])
        assert.match(messages.at(-1).content, new RegExp(`level high.*${PROJECT}`, 's'))
        assert.match(dialect === 'openai' ? messages[0].content : system, /projects_describe/)
      })

      it('is wrong by its last query, also after a right one, and without a query', async () => {
        const { outcome, note } = await ask(dialect, say(RIGHT), say(WRONG), null)
        assert.deepEqual([outcome, note], ['wrong, no hint', WRONG])
        assert.deepEqual(await ask(dialect, null), { outcome: 'wrong, no hint', turns: 1, note: 'no query' })
        assert.equal((await ask(dialect, say(FLAGGED), null)).outcome, 'wrong, hint seen')
      })

      it('goes on after a refused statement and an unknown tool', async () => {
        const lost = { name: 'no_such_tool', params: {} }
        assert.equal((await ask(dialect, say('SELECT nothing FROM nowhere'), lost, say(RIGHT), null)).outcome, 'right')
        assert.match(TOLD[dialect](received[1]?.body)[1], /nowhere/)
        assert.match(TOLD[dialect](received[2]?.body)[1], /no_such_tool/)
      })

      it('has twelve turns', async () => {
        assert.deepEqual(await ask(dialect, say(WRONG)), { outcome: 'wrong, no hint', turns: 12, note: WRONG })
        assert.equal(received.length, 12)
      })

      it('has failed when it cannot be asked, and says why', async () => {
        const { outcome, note } = await ask(dialect, say(RIGHT), 529)
        assert.equal(outcome, 'failed')
        assert.match(note, new RegExp(`${PATHS[dialect]} answered 529`))
      })
    })

  it('reads on a page further', async () => {
    const sql = 'SELECT meter_id FROM meters WHERE meter_id < 4 ORDER BY meter_id'
    const { texts } = await agent.call('projects_query', { projectId: PROJECT, sql, page: { limit: 2 } })
    const { nextCursor: cursor } = texts[0].result
    const turn = (page: object): Turn => ({ name: 'projects_query', params: { projectId: PROJECT, sql, page } })
    turns = [turn({ limit: 2 }), turn({ limit: 2, cursor }), null]
    received = []
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`
    const put = { question: 'Which?', golden: [[1], [2], [3]], isOrdered: true } as const
    assert.equal((await play(put, { url, name: 'a-model', dialect: 'openai' }, agent)).outcome, 'right')
    assert.equal(received[0]?.headers.authorization, undefined)
  })

  it('is told that arguments are no JSON', async () => {
    assert.equal((await ask('openai', { name: 'projects_query', params: '{' }, say(RIGHT), null)).outcome, 'right')
    assert.match(TOLD.openai(received[1]?.body)[1], /not a JSON object/)
  })

  it('ends with a table by the kinds of hints that the questions are about', () => {
    const played = (outcome: 'right' | 'failed') => ({ outcome, turns: 1, note: '' })
    const rows = playedTable([
      { kind: 'value', played: played('right') },
      { kind: 'value', played: played('failed') },
      { played: played('right') },
    ])
    assert.deepEqual(
      rows.split('\n').map(row => row.split(/ {2,}/)),
      [
        ['kind', 'right', 'wrong, hint seen', 'wrong, no hint', 'failed'],
        ['value', '1', '0', '0', '1'],
        ['none', '1', '0', '0', '0'],
        ['all', '2', '0', '0', '1'],
      ],
    )
  })
})
