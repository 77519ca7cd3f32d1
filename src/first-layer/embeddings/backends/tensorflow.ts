import {
  add,
  type DataId,
  engine,
  gather,
  getKernel,
  type KernelBackend,
  registerKernel,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
  tensor1d,
  tidy,
} from '@tensorflow/tfjs-core'
import {
  INPUT_EMBEDDINGS,
  type InputEmbeddingsAttrs,
  type InputEmbeddingsInputs,
  positionIndices,
  type StoredNumbers,
} from '../op.js'
import { lookUpHere } from './cpu.js'

/** The part of `@tensorflow/tfjs-node`'s backend that this file uses. */
interface TensorflowBackend extends KernelBackend {
  readonly binding: { readonly TF_Version: string }
}

/**
 * Registers the embedding op for backend `tensorflow` (`@tensorflow/tfjs-node`): float32 rows come from TensorFlow's own
 * GatherV2 and AddV2. TensorFlow.js has no types of 16 bits, and TensorFlow makes subnormal sums 0: the cpu kernel does
 * those. The rows are bit-equal to the cpu kernel's: a sum is one float32 addition, and both round to nearest even.
 *
 * TensorFlow reads a table in place if it starts at a multiple of 64 bytes in memory, as in a WebAssembly.Memory;
 * otherwise it copies the table at the first lookup. Rows are copied to `out`.
 */
export function registerTensorflowKernel(): void {
  if (getKernel(INPUT_EMBEDDINGS, 'tensorflow') !== undefined) return // a second one prints a warning
  registerKernel({
    kernelName: INPUT_EMBEDDINGS,
    backendName: 'tensorflow',
    kernelFunc({ inputs, backend, attrs }) {
      const given = inputs as unknown as InputEmbeddingsInputs
      const options = attrs as unknown as InputEmbeddingsAttrs
      const { table, ids, positions } = given as unknown as Readonly<Record<string, Tensor>>
      const { dtype, tableDtype, positionsDtype, out } = options
      const numbersOf = ({ dataId }: { readonly dataId: DataId }) =>
        heldNumbers(backend as KernelBackend, dataId)
      const isSum = positions !== undefined
      const isWide = [dtype, tableDtype, positionsDtype].every((each) => each === 'float32')
      // Looked through before TensorFlow takes them: afterwards, reading the elements would copy the whole table.
      const isTiny = isWide && [table, positions].some((each) => each && isTinyTable(each, numbersOf))
      if (!isWide || (isSum && isTiny)) return lookUpHere(given, options, numbersOf)
      const rows = tidy(() => {
        const tokens = gather(table as Tensor2D, ids as Tensor1D) // [n, C]
        if (positions === undefined) return tokens
        const indices = tensor1d(positionIndices(ids.shape[0], options), 'int32') // [n]
        return add(tokens, gather(positions, indices))
      })
      if (out === undefined) return rows
      out.set(rows.dataSync())
      rows.dispose()
      return []
    },
  })
}

/** The numbers of tensors that TensorFlow has taken, or may take. */
const held = new WeakMap<DataId, StoredNumbers | Int32Array>()

function heldNumbers(backend: KernelBackend, dataId: DataId): StoredNumbers | Int32Array {
  let numbers = held.get(dataId)
  if (numbers === undefined) {
    numbers = backend.readSync(dataId) as Float32Array
    held.set(dataId, numbers)
  }
  return numbers
}

/** The bits of 2^-103, without a sign. */
const SMALLEST_SAFE = (127 - 103) << 23

const verdicts = new WeakMap<DataId, boolean>()

/**
 * Whether sums of this tensor's elements may be subnormal, below 2^-126: TensorFlow treats such numbers as 0 (flush to
 * zero); JavaScript and PyTorch keep them. Elements that are 0 or at least 2^-103 are multiples of 2^-126, and so are
 * their sums: 0 or normal. Reads the elements once per tensor, which must not change after that.
 */
function isTinyTable(
  { dataId }: Tensor,
  numbersOf: (tensor: { readonly dataId: DataId }) => StoredNumbers | Int32Array,
): boolean {
  let isTiny = verdicts.get(dataId)
  if (isTiny === undefined) {
    const { buffer, byteOffset, length } = numbersOf({ dataId })
    const words = new Uint32Array(buffer, byteOffset, length)
    isTiny = words.some((word) => (word & 0x7fff_ffff) < SMALLEST_SAFE && (word & 0x7fff_ffff) !== 0)
    verdicts.set(dataId, isTiny)
  }
  return isTiny
}

/** TensorFlow's version, if backend `tensorflow` is in use: `2.9.1`, `2.15.1`. */
export function tensorflowVersion(): string {
  return (engine().backend as TensorflowBackend).binding.TF_Version
}
