import { corpus } from './corpora.mjs'

const CHUNK = 4096
/** The rest of a corpus warms the compilers up: what is measured was not seen. */
const MEASURED_SHARE = 0.65
const WARM_CHUNKS = 100

/** Chunks of 4,096 characters, spread evenly: those to warm up with, and `count` others to measure. */
export function chunks(corpusName, count) {
  const text = corpus(corpusName)
  const border = Math.floor(text.length * MEASURED_SHARE)
  return {
    warm: spread(text.slice(border), WARM_CHUNKS),
    unseen: spread(text.slice(0, border), Math.min(count, Math.floor(border / CHUNK))),
  }
}

/** Whether there is a chunk to measure, and one to warm up with. */
export function hasChunks(corpusName) {
  return Math.floor(corpus(corpusName).length * (1 - MEASURED_SHARE)) >= CHUNK
}

function spread(text, count) {
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor(((text.length - CHUNK) * i) / count)
    return wholeCharacters(text.slice(start, start + CHUNK))
  })
}

/** Without half a surrogate pair at either end. */
function wholeCharacters(chunk) {
  const start = (chunk.charCodeAt(0) & 0xfc00) === 0xdc00 ? 1 : 0
  const last = chunk.charCodeAt(chunk.length - 1)
  return chunk.slice(start, (last & 0xfc00) === 0xd800 ? -1 : undefined)
}
