import { analytics } from '@/analytics'

/**
 * The file `app/analytics/public/v1/[...path]/route.ts`: the path of the API, without any other route below
 * it.
 */
const answer = (request: Request) => analytics().fetch(request)

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
