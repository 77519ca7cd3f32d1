import { setFlagsFromString } from 'node:v8'

/**
 * How far V8 lets its heap grow beyond what lives before it marks all of it again, in percent.
 *
 * Bodies and answers lie outside of the heap, and V8 counts them with it: after a collection that they began it grows by
 * 10 to 30 %, so that under load some 24 MB of bodies begin the next full mark, several a second, and its helpers take a
 * quarter of the processor. What lives is some 20 MB.
 */
const HEAP_GROWING_PERCENT = 900

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
