import { Operations } from './operations.js'

/**
 * Calls one service: `new Inlet('http://localhost:8000', { key })`. A path before the service's own may follow in the
 * address.
 */
export class Inlet extends Operations {}
