import { engine, getKernel, registerKernel, type Tensor, type TensorInfo, tidy } from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS, type InputEmbeddingsAttrs, type InputEmbeddingsInputs } from '../op.js'
import { rowSums, tinyRowSums } from './row-sums.js'
import { type TensorflowBackend, type TensorflowOps, tensorflowOps } from './tensorflow-ops.js'
import { hasTinyValues } from './tiny-values.js'

/**
 * Registers the embedding op for backend `tensorflow` (`@tensorflow/tfjs-node`): TensorFlow's own GatherV2
 * and AddV2. The sums are bit-equal to the cpu kernel's, being one float32 addition each.
 *
 * Copies: TensorFlow reads a table where it lies if it starts at a multiple of 64 bytes in memory, as in a
 * WebAssembly.Memory; else it takes a copy of its own at the first lookup. The rows are written to `out` under
 * the same condition; else they stay TensorFlow's and `dataSync()` copies them out.
 */
export function registerTensorflowKernel(): void {
  if (getKernel(INPUT_EMBEDDINGS, 'tensorflow') !== undefined) return // again would be a warning on the console
  registerKernel({
    kernelName: INPUT_EMBEDDINGS,
    backendName: 'tensorflow',
    kernelFunc({ inputs, backend, attrs }) {
      const tensorflow = backend as TensorflowBackend
      const ops = tensorflowOps(tensorflow)
      const { table, ids, positions } = inputs as unknown as InputEmbeddingsInputs
      const options = attrs as unknown as InputEmbeddingsAttrs
      const shape = [ids.shape[0], table.shape[1]]
      const over = (values: Float32Array): TensorInfo => ({
        // TensorFlow has not been shown these values yet: dataSync() gives `values` itself.
        dataId: tensorflow.write(values, shape, 'float32'),
        shape,
        dtype: 'float32',
      })
      // Asked before TensorFlow takes the table: afterwards it would give a copy of the whole.
      const tinyTable = hasTinyValues(table, tensorflow)
      if (positions && (tinyTable || hasTinyValues(positions, tensorflow))) {
        return over(tinyRowSums(ops, table, ids, positions, options))
      }
      const [sums] = tidy((): Tensor[] => {
        const rows = rowSums(ops, table, ids, positions, options)
        if (options.out !== undefined && writeInto(options.out, rows, ops)) return []
        return [rows.rank === 2 ? rows : ops.reshape(rows, shape)]
      })
      return sums ?? over(options.out!)
    },
  })
}

/** TensorFlow's version, where backend `tensorflow` is in use: `2.9.1`, `2.15.1`. */
export function tensorflowVersion(): string {
  return (engine().backend as TensorflowBackend).binding.TF_Version
}

/** A NaN that no arithmetic makes. */
const UNTOUCHED = 0x7fa5_1e57

/**
 * Lets TensorFlow write `rows` to `out`. TensorFlow works on memory of ours in place only where it is aligned,
 * and JavaScript cannot see addresses: a mark in the first element tells whether it did.
 */
function writeInto(out: Float32Array, rows: Tensor, ops: TensorflowOps): boolean {
  if (out.length === 0) return true
  const first = new Uint32Array(out.buffer, out.byteOffset, 1)
  first[0] = UNTOUCHED
  ops.overwrite(engine().makeTensor(out, rows.shape, 'float32') as Tensor, rows)
  return first[0] !== UNTOUCHED
}
