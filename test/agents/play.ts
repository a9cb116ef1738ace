import { table } from '#server/cli/print.js'
import type { Agent } from '../check/mcp/agent.js'
import { PROJECT } from '../service/service.js'
import { DIALECTS, type Model, type ToolAnswer, type ToolCall } from './dialects.js'
import { type GoldenRow, KINDS } from './question.js'
import { holdGolden } from './rows.js'
import type { Asked } from './world.js'

/** Most turns of a model per question. */
const MOST_TURNS = 12

export const OUTCOMES = ['right', 'wrong, hint seen', 'wrong, no hint', 'failed'] as const
type Outcome = (typeof OUTCOMES)[number]

/** How a model answered a question. `note` is its last statement, or why it could not be asked. */
export interface Played {
  outcome: Outcome
  turns: number
  note: string
}

/** What is read of a question. */
type Put = Pick<Asked, 'question' | 'entityId' | 'golden' | 'isOrdered'>

/** The last rows that a model read. */
interface Last {
  rows: unknown[][]
  isHinted: boolean
  note: string
}

/**
 * Puts a question to a model, which has the tools of an agent. The rows of its last query count. A model that cannot be
 * asked has failed at the question.
 */
export async function play(put: Put, model: Model, { client, call }: Pick<Agent, 'client' | 'call'>): Promise<Played> {
  let turns = 0
  let last: Last | null = null
  async function answer({ id, name, params }: ToolCall): Promise<ToolAnswer> {
    if (params === undefined) return { id, text: 'The arguments are not a JSON object.', isError: true }
    const { isError, texts } = await call(name, params)
    const result = isError ? null : texts[0]?.result
    if (Array.isArray(result?.rows)) last = readRows(last, params, result)
    return { id, text: texts.map(text => JSON.stringify(text)).join('\n'), isError }
  }
  try {
    const { tools } = await client.listTools()
    const turn = DIALECTS[model.dialect](model, {
      system: systemOf(client.getInstructions()),
      question: textOf(put),
      tools,
    })
    let answers: ToolAnswer[] = []
    while (turns < MOST_TURNS) {
      turns++
      const calls = await turn(answers)
      if (calls.length === 0) break
      answers = []
      for (const each of calls)
        answers.push(await answer(each).catch(cause => ({ id: each.id, text: messageOf(cause), isError: true })))
    }
  } catch (cause) {
    return { outcome: 'failed', turns, note: messageOf(cause) }
  }
  return { outcome: outcomeOf(last, put), turns, note: (last as Last | null)?.note ?? 'no query' }
}

function readRows(
  last: Last | null,
  params: Record<string, unknown>,
  { rows, hints = [] }: { rows: unknown[][]; hints?: unknown[] },
): Last {
  const { cursor } = (params.page ?? {}) as { cursor?: unknown }
  const before = cursor == null ? [] : (last?.rows ?? [])
  return { rows: [...before, ...rows], isHinted: hints.length > 0, note: String(params.sql ?? JSON.stringify(params)) }
}

function outcomeOf(
  last: Last | null,
  { golden, isOrdered }: { golden: readonly GoldenRow[]; isOrdered?: true },
): Outcome {
  if (last && holdGolden(last.rows, golden, isOrdered)) return 'right'
  return last?.isHinted ? 'wrong, hint seen' : 'wrong, no hint'
}

const systemOf = (instructions = '') =>
  `${instructions}\n\nAnswer the question of the user with the tools. The rows of the last query that you run are the ` +
  'answer: let it return these alone, unrounded, in one page. When they are right, say so without calling a tool.'

const textOf = ({ question, entityId }: Put) =>
  `${question}\n\nThe project is ${PROJECT}.${entityId === undefined ? '' : ` Look from the entity ${entityId}.`}`

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** How often each outcome came, by kind of the hint that the hurried statement of a question deserves. */
export function playedTable(all: readonly { kind?: string; played: Played }[]): string {
  const kinds = [...KINDS, undefined].filter(wanted => all.some(({ kind }) => kind === wanted))
  const row = (name: string, own: typeof all) => [
    name,
    ...OUTCOMES.map(wanted => String(own.filter(({ played }) => played.outcome === wanted).length)),
  ]
  return table([
    ['kind', ...OUTCOMES],
    ...kinds.map(wanted =>
      row(
        wanted ?? 'none',
        all.filter(({ kind }) => kind === wanted),
      ),
    ),
    row('all', all),
  ])
}
