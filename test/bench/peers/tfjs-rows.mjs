// TensorFlow.js' gather and add: node tfjs-rows.mjs BACKEND DIM CONTEXT_LENGTH BLOCKS WASM_FOLDER → median GB/s
import { importRival } from '../harness/npm-rivals.mjs'
import { median } from '../harness/rounds.mjs'

const TABLE_FLOATS = 50257 * 256
const RUNS = 3

const [backend, ...rest] = process.argv.slice(2)
const [dim, contextLength, blocks] = rest.map(Number)
const tf = await importRival('@tensorflow/tfjs-core')
const { setWasmPaths } = await importRival(`@tensorflow/tfjs-backend-${backend}`)
setWasmPaths?.(rest[3])
if (!(await tf.setBackend(backend))) throw new Error(`no backend ${backend}`)

const vocabulary = Math.floor(TABLE_FLOATS / dim)
const batch = (blocks * 2 ** 20) / (4 * dim * contextLength)
const table = tf.tensor2d(new Float32Array(vocabulary * dim).fill(0.25), [vocabulary, dim])
const positions = tf.tensor2d(new Float32Array(contextLength * dim).fill(0.5), [contextLength, dim])
const ids = tf.tensor2d(
  Int32Array.from({ length: batch * contextLength }, () => Math.floor(Math.random() * vocabulary)),
  [batch, contextLength],
  'int32',
)
const times = Array.from({ length: RUNS }, () => {
  const start = performance.now()
  tf.tidy(() => tf.add(tf.gather(table, ids), positions).dataSync())
  return performance.now() - start
})
console.log((batch * contextLength * dim * 4) / median(times) / 1e6)
