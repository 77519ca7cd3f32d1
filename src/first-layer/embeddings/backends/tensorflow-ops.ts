import {
  type DataId,
  type KernelBackend,
  scalar,
  type Tensor,
  type TensorInfo,
  tensor1d,
} from '@tensorflow/tfjs-core'
import type { FloatDtype } from '../../tensors/named-tensor.js'

/** One attribute of a TensorFlow op, as tfjs-node's addon takes it. */
interface OpAttribute {
  readonly name: string
  readonly type: number
  readonly value: number | boolean
}

/** A tensor inside the addon, of any TensorFlow type. The code that makes one must delete it. */
interface AddonTensor {
  readonly id: number
  readonly shape: number[]
  /** TensorFlow's number for the element type. */
  readonly dtype: number
}

/** The part of tfjs-node's backend that is used. Declared here because the package, with its types, is optional. */
export interface TensorflowBackend extends KernelBackend {
  readonly binding: {
    readonly TF_Version: string
    readonly TF_FLOAT: number
    readonly TF_INT32: number
    readonly TF_UINT8: number
    readonly TF_ATTR_INT: number
    readonly TF_ATTR_TYPE: number
    readonly TF_ATTR_BOOL: number
    createTensor(shape: number[], dtype: number, values: Uint8Array): number
    executeOp(op: string, attributes: OpAttribute[], inputs: number[], outputs: 1): AddonTensor[]
    deleteTensor(id: number): void
  }
  executeSingleOutput(op: string, attributes: OpAttribute[], inputs: TensorInfo[]): Tensor
  /** The ids of the addon's tensors behind those of TensorFlow.js. */
  getInputTensorIds(tensors: TensorInfo[]): number[]
  /** Wraps an addon's tensor, float32 or int32, in one of TensorFlow.js; disposing of that one deletes both. */
  createOutputTensor(tensor: AddonTensor): Tensor
  write(values: Float32Array, shape: number[], dtype: 'float32' | 'int32'): DataId
}

export type TensorflowOps = ReturnType<typeof tensorflowOps>

/**
 * The TensorFlow ops of the embedding kernel, each run eagerly while the caller waits. Every call makes tensors: call
 * them inside `tidy`.
 */
export function tensorflowOps(backend: TensorflowBackend) {
  const { TF_FLOAT, TF_INT32, TF_ATTR_INT, TF_ATTR_TYPE } = backend.binding
  const float = (name: string): OpAttribute => ({ name, type: TF_ATTR_TYPE, value: TF_FLOAT })
  const int = (name: string): OpAttribute => ({ name, type: TF_ATTR_TYPE, value: TF_INT32 })
  const run = (op: string, attributes: OpAttribute[], ...inputs: TensorInfo[]) =>
    backend.executeSingleOutput(op, attributes, inputs)
  const operand = (values: number[]) => tensor1d(values, 'int32')

  const gatherAttributes = [
    { name: 'batch_dims', type: TF_ATTR_INT, value: 0 },
    float('Tparams'),
    int('Tindices'),
    int('Taxis'),
  ]
  return {
    /** Rows of `table` [V, C]: ids [...] → [..., C]. An id outside 0 … V − 1 is TensorFlow's error. */
    gather: (table: TensorInfo, ids: TensorInfo) =>
      run('GatherV2', gatherAttributes, table, ids, scalar(0, 'int32')),
    /** [..., C] + [T, C], broadcast from the right; each sum is rounded once to float32. */
    add: (rows: Tensor, other: Tensor) => run('AddV2', [float('T')], rows, other),
    /** Rows `first … first + count − 1` of `table` [P, C]. */
    sliceRows: (table: TensorInfo, first: number, count: number) =>
      run('Slice', [float('T'), int('Index')], table, operand([first, 0]), operand([count, table.shape[1]])),
    /** The same elements in another shape; TensorFlow copies nothing. */
    reshape: (tensor: TensorInfo, shape: number[]) =>
      run(
        'Reshape',
        [tensor.dtype === 'int32' ? int('T') : float('T'), int('Tshape')],
        tensor,
        operand(shape),
      ),
  }
}

/** The types of 16 bits. */
export type WordDtype = Exclude<FloatDtype, 'float32'>

/** A table of 16-bit numbers: their bits, row-major. */
export interface Words {
  readonly bits: Uint16Array
  readonly dtype: WordDtype
  /** C */
  readonly dim: number
}

/** TensorFlow's numbers of types (tensorflow/c/tf_datatype.h) that have no name in tfjs-node. */
const TYPES: Readonly<Record<WordDtype, number>> = { float16: 19, bfloat16: 14 }
const UINT16 = 17

/** An op, its attributes, and its inputs after the first. */
type Step = readonly [op: string, attributes: OpAttribute[], inputs?: number[]]

/**
 * Numbers of 16 bits in TensorFlow. TensorFlow has such types, TensorFlow.js has not: it sees float32 numbers or, as
 * int32, the bits, and tensors of 16-bit types stay inside the addon. Every call makes tensors: call them inside `tidy`.
 *
 * TensorFlow reads the bits in place if they start at a multiple of 64 bytes in memory; else each call copies them all.
 */
export function wordOps(backend: TensorflowBackend) {
  const { binding } = backend
  const { TF_UINT8, TF_INT32, TF_FLOAT, TF_ATTR_TYPE, TF_ATTR_INT, TF_ATTR_BOOL } = binding
  const type = (name: string, value: number): OpAttribute => ({ name, type: TF_ATTR_TYPE, value })
  const bitcast = (from: number, to: number): Step => ['Bitcast', [type('T', from), type('type', to)]]
  const cast = (from: number, to: number): Step => {
    const truncate = { name: 'Truncate', type: TF_ATTR_BOOL, value: false }
    return ['Cast', [type('SrcT', from), type('DstT', to), truncate]]
  }
  const gatherStep = (of: number, ids: TensorInfo): Step => [
    'GatherV2',
    [
      { name: 'batch_dims', type: TF_ATTR_INT, value: 0 },
      type('Tparams', of),
      type('Tindices', TF_INT32),
      type('Taxis', TF_INT32),
    ],
    backend.getInputTensorIds([ids, scalar(0, 'int32')]),
  ]

  /** Runs the steps, each on the result of the one before, and deletes every tensor but the last result. */
  function run(input: number, steps: readonly Step[]): Tensor {
    const made: AddonTensor[] = []
    try {
      for (const [op, attributes, inputs = []] of steps) {
        made.push(...binding.executeOp(op, attributes, [made.at(-1)?.id ?? input, ...inputs], 1))
      }
      return backend.createOutputTensor(made.pop()!)
    } finally {
      for (const { id } of made) binding.deleteTensor(id)
    }
  }

  function runOn({ bits, dim }: Words, steps: readonly Step[]): Tensor {
    const bytes = new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength)
    const lent = binding.createTensor([bits.length / dim, dim, 2], TF_UINT8, bytes)
    try {
      return run(lent, steps)
    } finally {
      binding.deleteTensor(lent)
    }
  }

  return {
    /** Rows of a table, widened: ids [...] → float32 [..., C]. An id outside the table is TensorFlow's error. */
    gather(words: Words, ids: TensorInfo) {
      const of = TYPES[words.dtype]
      return runOn(words, [bitcast(TF_UINT8, of), gatherStep(of, ids), cast(of, TF_FLOAT)])
    },
    /** Rows of a table as stored: ids [...] → bits [..., C]. */
    gatherBits: (words: Words, ids: TensorInfo) =>
      runOn(words, [bitcast(TF_UINT8, UINT16), gatherStep(UINT16, ids), cast(UINT16, TF_INT32)]),
    /** Rows `first … first + count − 1`, widened. */
    sliceRows({ bits, dtype, dim }: Words, first: number, count: number) {
      const rows = { bits: bits.subarray(first * dim, (first + count) * dim), dtype, dim }
      return runOn(rows, [bitcast(TF_UINT8, TYPES[dtype]), cast(TYPES[dtype], TF_FLOAT)])
    },
    /** The bits of float32 numbers rounded to nearest even. NaN becomes 0x7e00 with its sign, in bfloat16 0x7fc0. */
    narrow(values: Tensor, dtype: WordDtype) {
      const to = TYPES[dtype]
      const [input] = backend.getInputTensorIds([values])
      return run(input, [cast(TF_FLOAT, to), bitcast(to, UINT16), cast(UINT16, TF_INT32)])
    },
  }
}
