import { parentPort, workerData } from 'node:worker_threads'
import { run } from '../../../build/src/first-layer/steps.js'
import { loadEncoding } from '../../../build/src/first-layer/tokens/encoding.js'
import { TextWriter } from '../../../build/src/first-layer/tokens/tokenize.js'

/** Tokenizes a text in memory, over and over, and keeps nothing: the kernel's own speed in this thread. */
const SLICE = 1 << 16
const { text, bytes } = workerData
const tokenizer = await loadEncoding('gpt2')
const options = { allowedSpecial: new Set(['<|endoftext|>']) }

class Dropped {
  ids
  constructor(TokenBuffer) {
    this.ids = new TokenBuffer()
  }
  makeRoom(more) {
    if (this.ids.length + more > 1 << 16) this.ids.clear()
    return 0
  }
}

const { TokenBuffer } = await import('../../../build/src/first-layer/tokens/token-buffer.js')
const body = Buffer.from(text)

function tokenize(most) {
  const writer = new TextWriter(tokenizer, options, new Dropped(TokenBuffer))
  let done = 0
  for (; done < most; done += Math.min(SLICE, body.length - (done % body.length))) {
    const at = done % body.length
    run(writer.write(body.subarray(at, at + SLICE)))
  }
  run(writer.end())
  return done
}

tokenize(Math.min(bytes, 4 * body.length)) // compiled and warm
parentPort.on('message', () => {
  const began = performance.now()
  const done = tokenize(bytes)
  parentPort.postMessage({ bytes: done, seconds: (performance.now() - began) / 1000 })
})
parentPort.postMessage('ready')
