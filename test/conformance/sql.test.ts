import assert from 'node:assert/strict'
import { type Answer, PROJECT, type Service, sharedService } from '../service/service.js'
import { CORRECTED } from '../sql/corrected.js'
import { readStatements, type Statement } from '../sql/statements.js'

/** What messages must not contain: names of databases, paths of files, and advice that callers cannot follow. */
const INTERNAL = /\br_[0-9a-f]{24}\b|(?:\/[\w.-]+){2,}|INSTALL |\bSET \w+/
const AT_ONCE = 4

const accepted = readStatements('accepted')
const refused = readStatements('refused')

describe('statements that analysts write', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  for (const [group, statements] of byGroup(accepted)) {
    it(`return the expected rows: ${group}`, async () => {
      const failures = await eachOf(statements, async statement => wrong(statement, await query(service, statement)))
      assert.deepEqual(failures, [])
    })
  }

  it('are numerous, and many have expected rows', () => {
    assert.ok(accepted.length >= 295, String(accepted.length))
    assert.ok(accepted.filter(statement => statement.rows).length >= 60)
  })

  it('run once they are corrected as the refusal suggests', async () => {
    for (const { corrected } of CORRECTED) {
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql: corrected })
      assert.equal(status, 200, `${corrected}: ${body.message}`)
    }
  })

  it('fail with INVALID_QUERY and an explanation when a mistake appears only at run time', async () => {
    const mistakes = refused.filter(statement => statement.rule === undefined && isMistake(statement))
    assert.ok(mistakes.length >= 30, String(mistakes.length))
    const failures = await eachOf(mistakes, async statement => {
      const { status, body } = await query(service, statement)
      const message = body.message ?? ''
      const told = status === 422 && body.class === 'INVALID_QUERY' && message.length > 20 && !INTERNAL.test(message)
      return told ? undefined : `${statement.id}: ${status} ${JSON.stringify(body).slice(0, 400)}`
    })
    assert.deepEqual(failures, [])
  })

  it('are refused by the service if the guard refuses them', async () => {
    const failures = await eachOf(
      refused.filter(statement => statement.rule !== undefined),
      async statement => {
        const { status, body } = await query(service, statement)
        const isTold = status === 422 && body.class === 'INVALID_QUERY' && !/\br_[0-9a-f]{24}/.test(body.message ?? '')
        return isTold ? undefined : `${statement.id}: ${status} ${body.class}: ${body.message}`
      },
    )
    assert.deepEqual(failures, [])
  })
})

function isMistake(statement: Statement): boolean {
  return statement.expect.length === 1 && statement.expect[0] === 'INVALID_QUERY'
}

function byGroup(statements: readonly Statement[]): Map<string, Statement[]> {
  const groups = new Map<string, Statement[]>()
  for (const statement of statements) {
    const group = statement.id.slice(0, statement.id.indexOf('/'))
    groups.set(group, [...(groups.get(group) ?? []), statement])
  }
  return groups
}

function query(service: Service, statement: Statement): Promise<Answer> {
  return service.call('projects/query', { projectId: PROJECT, sql: statement.sql, page: { limit: 500 } })
}

function wrong(statement: Statement, { status, body }: Answer): string | undefined {
  const shown = JSON.stringify(body).slice(0, 400)
  if (status !== 200) return `${statement.id}: ${status} ${shown}`
  const items = body.result?.items ?? []
  if (statement.rowCount !== undefined && items.length !== statement.rowCount)
    return `${statement.id}: ${items.length} rows, not ${statement.rowCount}`
  if (statement.rows && JSON.stringify(items) !== JSON.stringify(statement.rows)) return `${statement.id}: ${shown}`
  return undefined
}

/** Returns the failures of a check, which runs on a few statements at once: the service has two connections. */
async function eachOf(
  statements: readonly Statement[],
  check: (statement: Statement) => Promise<string | undefined>,
): Promise<string[]> {
  const failures: string[] = []
  const left = [...statements]
  const worker = async () => {
    for (let statement = left.shift(); statement; statement = left.shift()) {
      const failure = await check(statement)
      if (failure) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return failures
}
