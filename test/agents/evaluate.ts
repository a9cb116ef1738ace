import { parseArgs } from 'node:util'
import { type Agent, connectAgent } from '../check/mcp/agent.js'
import { DIALECTS, type Dialect, type Model } from './dialects.js'
import { type Played, play, playedTable } from './play.js'
import { type Over, openWorld } from './world.js'

const USAGE = `Usage: npm run evaluate -- --model URL --name MODEL [--dialect ${Object.keys(DIALECTS).join('|')}]
The key of the model is FOLDGATE_MODEL_KEY, if it needs one.`

function readModel(): Model | null {
  const text = { type: 'string' } as const
  try {
    const { values } = parseArgs({ options: { model: text, name: text, dialect: { ...text, default: 'openai' } } })
    const { model: url = '', name, dialect } = values
    if (!URL.canParse(url) || name === undefined || !Object.hasOwn(DIALECTS, dialect)) return null
    const { FOLDGATE_MODEL_KEY: key } = process.env
    return { url, name, dialect: dialect as Dialect, ...(key === undefined ? {} : { key }) }
  } catch {
    return null
  }
}

/** Plays every question with a model, and prints how it answered each, and a table. */
async function evaluate(model: Model): Promise<void> {
  const world = await openWorld()
  const agents: Agent[] = []
  try {
    const connected = new Map<Over, Agent>()
    const played: { kind?: string; played: Played }[] = []
    for (const question of world.questions) {
      const agent = connected.get(question.over) ?? (await connectAgent(world.services[question.over]))
      if (!connected.has(question.over)) agents.push(agent)
      connected.set(question.over, agent)
      const outcome = await play(question, model, agent)
      played.push({ ...(question.kind ? { kind: question.kind } : {}), played: outcome })
      console.log(`${question.id}: ${outcome.outcome} after ${outcome.turns} turns`)
      if (outcome.outcome !== 'right') console.log(outcome.note.replace(/^/gm, '  '))
    }
    console.log(`\n${playedTable(played)}`)
  } finally {
    for (const agent of agents) await agent.close()
    await world.close()
  }
}

const model = readModel()
if (model) await evaluate(model)
else {
  console.error(USAGE)
  process.exitCode = 2
}
