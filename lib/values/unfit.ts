/**
 * A value that is none of its type. The message completes “… must be”; without one, the type says what its
 * values must be.
 */
export class Unfit extends Error {}
