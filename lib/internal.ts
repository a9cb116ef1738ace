/**
 * What the packages of this repository share with the library. It is not part of its public face: any version may change
 * it.
 *
 * @module foldgate/internal
 * @internal
 */

export { EXTRA_FUNCTIONS } from './guard/extras.js'
export { type CappedScript, spawnCapped } from './process/capped.js'
