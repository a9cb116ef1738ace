/**
 * Rows of PostgreSQL as the source of a table. It needs the packages `pg` and `pg-copy-streams`.
 *
 * @module foldgate-postgres
 */

export { fromPostgres } from './from-postgres.js'
