/** Options of a call. */
export interface CallOptions {
  /** Cancels the call, even while it waits between attempts. */
  signal?: AbortSignal | undefined
}

/** Options of `rows()` and `runRows()`. */
export interface RowsOptions extends CallOptions {
  /**
   * If the `page.cursor` of the params is no longer valid, start from the first page. Default: false, which
   * throws.
   */
  restart?: boolean | undefined
}

/**
 * Whether the catalogue of the service has a tree of ownership. Without one, no call takes `entityId` or
 * `ownershipView`.
 */
export type Ownership = 'tree' | 'treeless'

/** Params of a call of a `Client<Tree>`. */
export type ParamsFor<Tree extends Ownership, Params> = Tree extends 'treeless'
  ? Omit<Params, 'entityId' | 'ownershipView'>
  : Params

/** Params that ask for columns, so that the compiler knows that the result has them. */
export interface WithColumns {
  /** `columns`, and `total` if the number of rows is asked for, too. */
  include: ['columns', ...('columns' | 'total')[]] | ['total', 'columns']
}
