/** Exit status for bad input and for failures. */
export const FAILED = 1
/** Exit status for bad usage. */
export const BAD_USAGE = 2
