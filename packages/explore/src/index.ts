/**
 * The query page of Foldgate, for the server of any application.
 *
 * @module foldgate-explore
 */

export { explorePage } from './explore-page.js'
export type { Offers } from './offers.js'
