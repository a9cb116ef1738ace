/**
 * The rules of the published contract that callers can lean on, by an id that cases name: every numbered rule, every
 * row of the tables of params, limits and classes, and every bullet of the envelope and of the download.
 */
export const RULES = {
  'screens-1': 'risks that a user excluded are missing from the relations of risks',
  'screens-2': 'an entity without dependency data has no row among the dependencies',
  'screens-3': 'no relation carries sourcing risk',

  'states-1': 'analytics are read of computed projects only',
  'states-2': 'a new assessment leaves state and analytics as they are until it has sealed',
  'states-3': 'a query reads the latest sealed snapshot, also one of an assessment that runs',
  'states-4': 'a cursor does not outlive its snapshot',

  'entry: REST': 'the params are the body, the class is in the status',
  'entry: JSON-RPC': 'one call a request, answered with 200; no batches',
  'entry: WebSocket': 'one call a text frame, matched by id',

  'envelope-1': 'a success is a result, with warnings when there are any',
  'envelope-2': 'on JSON-RPC warnings stand beside the result',
  'envelope-3': 'an unread field fails nothing and is warned about by its path',
  'envelope-4': 'a failure carries code, class, message, and its warnings in data',

  'param: projects/list page': 'may be left out',
  'param: projects/list page.limit': '1 to 500, 100 without it',
  'param: projects/list page.cursor': 'the nextCursor before; null counts as none',
  'param: projects/describe projectId': 'a UUID, required',
  'param: projects/describe relation': 'a relation of the catalogue; null counts as none',
  'param: projects/query projectId': 'a UUID, required',
  'param: projects/query entityId': 'a UUID; null or none is the whole project',
  'param: projects/query ownershipView': 'net or gross; net without it',
  'param: projects/query sql': 'one SELECT, with set operations and WITH; required',
  'param: projects/query page': 'may be left out',
  'param: projects/query page.limit': '1 to 500, 100 without it',
  'param: projects/query page.cursor': 'the nextCursor before, with the same query',
  'param: projects/export projectId': 'a UUID, required',
  'param: projects/export entityId': 'as for a query',
  'param: projects/export ownershipView': 'as for a query',
  'param: projects/export sql': 'as for a query',

  'list-1': 'projects of every organization that the key reads, from the oldest to the newest',
  'list-2': 'the last page has no nextCursor',
  'list-3': 'a project created after the first page comes on the last one',

  'describe-1': 'without a sealed snapshot NOT_READY says whether to retry or to launch an assessment',
  'describe-2': 'columns that take longer to build than their time are UNAVAILABLE',

  'query-1': 'writes, second statements, foreign files, the text’s own faults and oversized rows are INVALID_QUERY',
  'query-2': 'the latest sealed snapshot is read; NOT_READY says which remedy helps',
  'query-3': 'relations that take longer to build than their time are UNAVAILABLE',
  'query-4': 'past its time a query is QUERY_TIMEOUT, past its memory QUERY_TOO_LARGE',
  'query-5': 'without a free connection in time: UNAVAILABLE',
  'query-6': 'the cursor counts rows',
  'query-7': 'a page of many bytes stops early and has a nextCursor',
  'query-8': 'the last page has no nextCursor',
  'query-9': 'a cursor of a replaced snapshot is INVALID_PARAMS',

  'export-1': 'an export differs from the screens as a query does',
  'export-2': 'relations that take longer to build than their time are UNAVAILABLE',
  'export-3': 'past its time QUERY_TIMEOUT; past its memory or the size of a file QUERY_TOO_LARGE',
  'export-4': 'without a free connection in time: UNAVAILABLE',

  'download: GET': 'the whole file for keys of the owner that read the project; Range is ignored',
  'download: HEAD': 'the size in Content-Length, counted as no download',
  'download-1': 'the link stops after 15 minutes',
  'download-2': 'an expired link is 410 for a day, then 404',
  'download-3': 'without a key 401',
  'download-4': 'a link that was never handed out, or of another owner: 404',
  'download-5': 'a storage that is down is UNAVAILABLE',

  'auth-1': 'every call needs a key',
  'auth-2': 'the key goes into the Authorization header, as a bearer token',
  'auth-3': 'no key, or one that is unknown, revoked or expired: UNAUTHENTICATED, before anything else',
  'auth-4': 'a key reads its organizations for as long as its owner does',
  'auth-5': 'projects/list takes any valid key and shows what it reads',
  'auth-6': 'the other methods are FORBIDDEN outside the organizations of the key',
  'auth-7': 'a download needs a key of the same owner',

  'class: PARSE_ERROR': 'no JSON',
  'class: INVALID_REQUEST': 'JSON that is no request',
  'class: METHOD_NOT_FOUND': 'no such method',
  'class: INVALID_PARAMS': 'params that do not match, or a stale cursor',
  'class: INTERNAL': 'a fault of the service',
  'class: UNAUTHENTICATED': 'no credential that holds',
  'class: FORBIDDEN': 'not for this caller',
  'class: NOT_FOUND': 'nothing of this id in the scope of the call',
  'class: NOT_READY': 'no analytics to read',
  'class: INVALID_QUERY': 'a statement that is refused or fails on its own text',
  'class: QUERY_TIMEOUT': 'out of time',
  'class: QUERY_TOO_LARGE': 'out of memory, or past the size of a file',
  'class: RATE_LIMITED': 'out of quota',
  'class: UNAVAILABLE': 'a dependency is down, or there was no room in time',
  'class: LINK_EXPIRED': 'a link past its time',

  'limits: page.limit': '1 to 500, 100 by default',
  'limits: page bytes': '4 MiB of rows a page; it ends early',
  'limits: row bytes': '4 MiB a row; INVALID_QUERY',
  'limits: build': '60 s for the relations; UNAVAILABLE',
  'limits: query time': '30 s; QUERY_TIMEOUT',
  'limits: export time': '120 s; QUERY_TIMEOUT',
  'limits: memory': 'that of the connection; QUERY_TOO_LARGE',
  'limits: export bytes': '1 GiB; QUERY_TOO_LARGE',
  'limits: connection wait': '5 s; UNAVAILABLE',
  'limits: link validity': '15 minutes from the call; LINK_EXPIRED',
  'limits: file retention': 'about a day; the storage removes the file',
  'limits: quota': 'calls a window; RATE_LIMITED',
} as const

/** Id of a rule. */
export type Rule = keyof typeof RULES

/** Rules that calls alone cannot show, and the test that does: its file below `test/`, and its title. */
export const ELSEWHERE: Partial<Record<Rule, { file: string; title: string }>> = {
  'screens-1': {
    file: 'check/server/screens.test.ts',
    title: 'are the same totals of risks but for lower ones where some are excluded',
  },
  'screens-2': {
    file: 'check/server/screens.test.ts',
    title: 'are the same dependencies but for what stands in where an entity has no data of its own',
  },
  'screens-3': { file: 'check/server/screens.test.ts', title: 'is in no column and in no value' },
  'export-1': {
    file: 'check/server/screens.test.ts',
    title: 'are the same risks but for those that somebody excluded',
  },
  'limits: file retention': {
    file: 'conformance/suite.test.ts',
    title: 'leaves the storage about a day later, also after a restart',
  },
  'download-5': { file: 'conformance/download.test.ts', title: 'is UNAVAILABLE, told to the host and to nobody else' },
}
