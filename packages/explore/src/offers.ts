/**
 * What a host has for a visitor beyond the API. The page shows nothing of what is absent. The script of the page posts forms
 * (`application/x-www-form-urlencoded`) to these paths, each with the `token`, and with the cookies of the visitor.
 */
export interface Offers {
  /** Path of the page on which visitors log in and see their keys. */
  account?: string
  /** Creates keys for the visitor. */
  keys?: KeyOffer
  /** Keeps queries for the visitor. */
  queries?: QueryOffer
}

/**
 * A POST to `path` creates a key, and is answered 201 with `{ key }`; 403 to a visitor who is no longer logged in, and 409 to
 * one who has as many keys as they can have.
 */
export interface KeyOffer {
  path: string
  /** What `token` of the form has to be: it binds the form to the session, against requests from other sites. */
  token: string
  /** Names of what the key will read. When there are none, the page says so, and offers no key. */
  reads: readonly string[]
  /** Number of days until the key expires. Default: the page does not say. */
  days?: number
}

/**
 * Saved queries below `path`. A GET of `path?project=ID` is answered with `{ queries, organizations, nextCursor? }`, and of the
 * next page with `&cursor=` besides: each of `queries` has `id`, `name`, `organization` (`{ key, name }` or null), `owner`,
 * `isOwn` and `savedAt` (RFC 3339), each of `organizations` `key` and `name`. A GET of `path/ID` is answered with
 * `{ query: { sql, parameters } }`. A POST to `path` saves `name`, `sql`, `parameters` (JSON), `project` and `organization`
 * (empty for the visitor alone), and to `path/ID/remove` removes. A failure is answered `{ message }`, which the page shows; 401
 * to a visitor who is no longer logged in.
 */
export interface QueryOffer {
  path: string
  /** As that of {@link KeyOffer}. */
  token: string
}
