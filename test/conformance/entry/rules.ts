/**
 * The rules of the published contract that callers can rely on, by the id that cases refer to: every numbered rule,
 * every row of the tables of params, limits and classes, and every bullet on envelopes and downloads.
 */
export const RULES = {
  'screens-1': 'risks that a user excluded are missing from the relations of risks',
  'screens-2': 'an entity without dependency data has no row among the dependencies',
  'screens-3': 'no relation carries sourcing risk',

  'states-1': 'analytics can be read only from computed projects',
  'states-2': 'a new assessment leaves state and analytics as they are until it has sealed',
  'states-3': 'a query reads the latest sealed snapshot, even one from a running assessment',
  'states-4': 'a cursor does not outlive its snapshot',

  'entry: REST': 'the body is the params, the status reflects the class',
  'entry: JSON-RPC': 'one call per request, answered with 200; no batches',
  'entry: WebSocket': 'one call per text frame, matched by id',

  'envelope-1': 'a success is a result, with warnings when there are any',
  'envelope-2': 'on JSON-RPC, warnings are next to the result',
  'envelope-3': 'an unread field causes a warning with its path, not a failure',
  'envelope-4': 'a failure carries code, class, message, and its warnings in data',

  'param: projects/list page': 'optional',
  'param: projects/list page.limit': '1 to 500, 100 by default',
  'param: projects/list page.cursor': 'the previous nextCursor; null counts as none',
  'param: projects/describe projectId': 'a UUID, required',
  'param: projects/describe relation': 'a relation of the catalogue; null counts as none',
  'param: projects/query projectId': 'a UUID, required',
  'param: projects/query entityId': 'a UUID; null or none means the whole project',
  'param: projects/query ownershipView': 'net or gross; net by default',
  'param: projects/query sql': 'one SELECT, with set operations and WITH; required',
  'param: projects/query page': 'optional',
  'param: projects/query page.limit': '1 to 500, 100 by default',
  'param: projects/query page.cursor': 'the previous nextCursor, with the same query',
  'param: projects/export projectId': 'a UUID, required',
  'param: projects/export entityId': 'as for a query',
  'param: projects/export ownershipView': 'as for a query',
  'param: projects/export sql': 'as for a query',

  'list-1': 'projects of every organization that the key reads, oldest first',
  'list-2': 'the last page has no nextCursor',
  'list-3': 'a project created after the first page is on the last page',

  'describe-1': 'without a sealed snapshot NOT_READY says whether to retry or to launch an assessment',
  'describe-2': 'columns whose relations exceed their build time are UNAVAILABLE',

  'query-1': 'writes, second statements, files, the statement’s own faults and oversized rows are INVALID_QUERY',
  'query-2': 'the latest sealed snapshot is read; NOT_READY says which remedy helps',
  'query-3': 'relations that exceed their build time are UNAVAILABLE',
  'query-4': 'past its time limit a query is QUERY_TIMEOUT, past its memory limit QUERY_TOO_LARGE',
  'query-5': 'UNAVAILABLE if no connection is free in time',
  'query-6': 'the cursor counts rows',
  'query-7': 'a page that reaches its byte limit ends early and has a nextCursor',
  'query-8': 'the last page has no nextCursor',
  'query-9': 'a cursor from a replaced snapshot is INVALID_PARAMS',

  'export-1': 'an export differs from the screens as a query does',
  'export-2': 'relations that exceed their build time are UNAVAILABLE',
  'export-3': 'past its time limit QUERY_TIMEOUT; past its memory or file size QUERY_TOO_LARGE',
  'export-4': 'UNAVAILABLE if no connection is free in time',

  'named-1': 'a named query runs its newest version, or the one that the call names',
  'named-2': 'values are bare or of the declared type, defaults are those of the query, and others are INVALID_PARAMS',
  'named-3': 'an unknown query is NOT_FOUND; for a version that was removed, the message names its successor',
  'named-4': 'the result is that of projects/query, or with format that of projects/export',
  'named-5': 'what a query fails with has no place in its SQL',

  'download: GET': 'the whole file, for keys of the same owner that can read the project; Range is ignored',
  'download: HEAD': 'the size in Content-Length, not counted as a download',
  'download-1': 'the link expires after 15 minutes',
  'download-2': 'an expired link answers 410 for a day, then 404',
  'download-3': '401 without a key',
  'download-4': '404 for a link that was never issued or belongs to another owner',
  'download-5': 'UNAVAILABLE while the storage is down',

  'auth-1': 'every call needs a key',
  'auth-2': 'the key goes into the Authorization header, as a bearer token',
  'auth-3': 'no key, or one that is too long, unknown, revoked or expired: UNAUTHENTICATED, before anything else',
  'auth-4': 'a key reads its organizations while its owner does',
  'auth-5': 'projects/list accepts any valid key and returns what the key reads',
  'auth-6': 'the other methods are FORBIDDEN outside the organizations of the key',
  'auth-7': 'a download needs a key of the same owner',

  'class: PARSE_ERROR': 'not JSON',
  'class: INVALID_REQUEST': 'JSON that is not a request',
  'class: METHOD_NOT_FOUND': 'no such method',
  'class: INVALID_PARAMS': 'params that do not match, or a stale cursor',
  'class: INTERNAL': 'a fault of the service',
  'class: UNAUTHENTICATED': 'no valid credential',
  'class: FORBIDDEN': 'not permitted to this caller',
  'class: NOT_FOUND': 'no such id in the scope of the call',
  'class: NOT_READY': 'no analytics to read',
  'class: INVALID_QUERY': 'a statement that is refused, or fails because of its own SQL',
  'class: QUERY_TIMEOUT': 'past the time limit',
  'class: QUERY_TOO_LARGE': 'past the memory limit or the file size',
  'class: RATE_LIMITED': 'past the quota',
  'class: UNAVAILABLE': 'a dependency is down, or no connection was free in time',
  'class: LINK_EXPIRED': 'an expired link',

  'limits: page.limit': '1 to 500, 100 by default',
  'limits: page bytes': '4 MiB of rows per page, which then ends early',
  'limits: row bytes': '4 MiB per row; INVALID_QUERY',
  'limits: build': '60 s to build the relations; UNAVAILABLE',
  'limits: query time': '30 s; QUERY_TIMEOUT',
  'limits: export time': '120 s; QUERY_TIMEOUT',
  'limits: memory': 'the memory of the connection; QUERY_TOO_LARGE',
  'limits: export bytes': '1 GiB; QUERY_TOO_LARGE',
  'limits: connection wait': '5 s; UNAVAILABLE',
  'limits: link validity': '15 minutes from the call; LINK_EXPIRED',
  'limits: file retention': 'about a day; the storage removes the file',
  'limits: quota': 'calls per window; RATE_LIMITED',
} as const

/** Id of a rule. */
export type Rule = keyof typeof RULES

/** Rules that cases cannot show, with the test that does: its file below `test/`, and part of its title. */
export const ELSEWHERE: Partial<Record<Rule, { file: string; title: string }>> = {
  'screens-1': {
    file: 'check/server/screens.test.ts',
    title: 'are the same totals of risks, except for lower ones if risks are excluded',
  },
  'screens-2': {
    file: 'check/server/screens.test.ts',
    title: 'are the same dependencies, except for stand-ins for entities without their own data',
  },
  'screens-3': { file: 'check/server/screens.test.ts', title: 'is in no column and in no value' },
  'export-1': {
    file: 'check/server/screens.test.ts',
    title: 'are the same risks, except for those that a user excluded',
  },
  'limits: file retention': {
    file: 'conformance/suite.test.ts',
    title: 'is deleted from the storage after about a day, even after a restart',
  },
  'download-5': { file: 'conformance/download.test.ts', title: 'is UNAVAILABLE; only the host gets the cause' },
}
