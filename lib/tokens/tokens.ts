/**
 * Signed tokens (JWT) as credentials of your own users.
 *
 * @module foldgate/tokens
 */

import '../node-version.js'

export { signToken } from './sign-token.js'
export { tokenKeys } from './token-keys.js'
