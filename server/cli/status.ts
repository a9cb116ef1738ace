/** Exit status of bad input and of failures. */
export const FAILED = 1
/** Exit status of bad usage. */
export const BAD_USAGE = 2
