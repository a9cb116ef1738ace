export { run } from '../test/check/sandbox/cost.js'
