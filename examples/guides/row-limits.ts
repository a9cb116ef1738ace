import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { signToken } from 'foldgate/tokens'
import type { Keys } from './tokens.js'

/** The rota of a hospital, whose heads of department see their departments. */
export const rota = defineCatalogue({
  rowLimits: { department: { type: 'BIGINT', about: 'Id of a department' } },
  relations: [
    defineTable({
      name: 'nurses',
      about: 'A nurse of one department.',
      columns: { nurse_id: 'BIGINT', department_id: 'BIGINT' },
      unique: ['nurse_id'],
      rowLimits: { department: 'department_id' },
    }),
    defineTable({
      name: 'shifts',
      about: 'A shift of one nurse.',
      columns: { nurse_id: 'BIGINT', hours: { type: 'BIGINT', unit: 'h' } },
      references: { nurse_id: 'nurses.nurse_id' },
      rowLimits: { department: { through: 'nurse_id' } },
    }),
    defineTable({
      name: 'wages',
      about: 'What a nurse earns. It carries no limit, so heads of department do not know it.',
      columns: { nurse_id: 'BIGINT', wage: { type: 'BIGINT', unit: 'EUR' } },
    }),
    defineFold({
      name: 'hours',
      about: 'The hours of all shifts.',
      columns: { hours: { type: 'BIGINT', unit: 'h' } },
      reads: ['shifts'],
      sql: 'SELECT CAST(sum(hours) AS BIGINT) AS hours FROM shifts',
    }),
  ],
  examples: [{ question: 'How long do we work?', sql: 'SELECT hours FROM hours' }],
})

/** Signs a token for the head of these departments, of which there is at least one. */
export function tokenOfHead(
  { userId, tenant }: { userId: string; tenant: string },
  departments: readonly number[],
  { privateKey }: Keys,
): Promise<string> {
  return signToken({
    key: privateKey,
    issuer: 'https://app.example',
    audience: 'https://data.example',
    subject: userId,
    organization: tenant,
    only: { rows: { department: departments } },
    expiresInMs: 5 * 60_000,
  })
}
