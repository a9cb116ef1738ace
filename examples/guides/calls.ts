import {
  type AnalyticsApi,
  AnalyticsError,
  type AnalyticsOptions,
  createAnalyticsApi,
  ERROR_CLASSES,
  type HttpAnswer,
  type HttpRequest,
} from 'foldgate'

/** An API that pages of two other origins may call. */
export function withPages(options: AnalyticsOptions) {
  return createAnalyticsApi({
    ...options,
    cors: { origins: ['https://app.example', 'https://admin.example'], maxAgeSeconds: 600 },
  })
}

/** The rows of a statement, for a page that the host renders itself with the key of its user. */
export async function rowsFor(api: AnalyticsApi, key: string, projectId: string, sql: string) {
  try {
    const options = { authorization: `Bearer ${key}` }
    const { result } = await api.call('projects/query', { projectId, sql }, options)
    return result.items
  } catch (error) {
    if (error instanceof AnalyticsError && error.class === 'NOT_READY') return []
    throw error
  }
}

/** Cities that our cars go far in, with the columns that they have and how many there are. */
export async function farIn(api: AnalyticsApi, key: string, projectId: string, cities: string[]) {
  const { result } = await api.call(
    'projects/query',
    {
      projectId,
      sql: 'SELECT city, km FROM city_trips WHERE list_contains($cities, city) AND km >= $least ORDER BY city',
      parameters: { cities: { type: 'VARCHAR[]', value: cities }, least: 10 },
      include: ['columns', 'total'],
    },
    { authorization: `Bearer ${key}` },
  )
  return result
}

/** The rows of a statement as they are now, and as they were before the data last changed. */
export async function nowAndBefore(api: AnalyticsApi, key: string, projectId: string, sql: string) {
  const options = { authorization: `Bearer ${key}` }
  const { result } = await api.call('projects/describe', { projectId, include: ['snapshots'] }, options)
  const rowsOf = async ({ snapshot }: { snapshot: string }) =>
    (await api.call('projects/query', { projectId, sql, snapshot }, options)).result.items
  return Promise.all((result.snapshots ?? []).slice(0, 2).map(rowsOf))
}

/** The status of a failure over HTTP: 404 for NOT_FOUND. */
export function statusOf(error: AnalyticsError): number {
  return ERROR_CLASSES[error.class].status
}

/** A path of the host that is checked, counted and answered like a call. */
export function whoAmI(api: AnalyticsApi, request: HttpRequest): Promise<HttpAnswer> {
  return api.adapter.answerAs(request, 'who-am-i', async ({ ownerId, organizations }) => ({
    body: { ownerId, organizations },
  }))
}
