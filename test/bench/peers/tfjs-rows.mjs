// TensorFlow.js' gather and add: node tfjs-rows.mjs DIM CONTEXT_LENGTH BLOCKS WASM_FOLDER → median GB/s
import { importRival } from '../harness/npm-rivals.mjs'
import { median } from '../harness/rounds.mjs'

const TABLE_FLOATS = 50257 * 256
const RUNS = 3

const [dim, contextLength, blocks] = process.argv.slice(2, 5).map(Number)
const tf = await importRival('@tensorflow/tfjs-core')
const { setWasmPaths } = await importRival('@tensorflow/tfjs-backend-wasm')
setWasmPaths(process.argv[5])
if (!(await tf.setBackend('wasm'))) throw new Error('no backend wasm')

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
