import {
  type DataId,
  type KernelBackend,
  scalar,
  type Tensor,
  type TensorInfo,
  tensor1d,
} from '@tensorflow/tfjs-core'

/** One attribute of a TensorFlow op, as tfjs-node's addon takes it. */
export interface OpAttribute {
  readonly name: string
  readonly type: number
  readonly value: number | boolean
}

/** A tensor inside the addon, of any TensorFlow type. The code that makes one must delete it. */
export interface AddonTensor {
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

/**
 * The TensorFlow ops of the embedding kernel, each run eagerly while the caller waits. Every call makes tensors: call
 * them inside `tidy`.
 */
export interface TensorflowOps {
  /** Rows of `table` [V, C]: ids [...] → [..., C]. An id outside 0 … V − 1 is TensorFlow's error. */
  gather(table: TensorInfo, ids: TensorInfo): Tensor
  /** [..., C] + [T, C], broadcast from the right; each sum is rounded once to float32. */
  add(rows: Tensor, other: Tensor): Tensor
  /** Rows `first … first + count − 1` of `table` [P, C]. */
  sliceRows(table: TensorInfo, first: number, count: number): Tensor
  /** The same elements in another shape; TensorFlow copies nothing. */
  reshape(tensor: TensorInfo, shape: number[]): Tensor
  /** Writes `values` over `target`, both [B, ...], in `target`'s own memory. */
  overwrite(target: Tensor, values: Tensor): void
}

export function tensorflowOps(backend: TensorflowBackend): TensorflowOps {
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
    gather: (table, ids) => run('GatherV2', gatherAttributes, table, ids, scalar(0, 'int32')),
    add: (rows, other) => run('AddV2', [float('T')], rows, other),
    sliceRows: (table, first, count) =>
      run('Slice', [float('T'), int('Index')], table, operand([first, 0]), operand([count, table.shape[1]])),
    reshape: (tensor, shape) =>
      run(
        'Reshape',
        [tensor.dtype === 'int32' ? int('T') : float('T'), int('Tshape')],
        tensor,
        operand(shape),
      ),
    overwrite: (target, values) => {
      const rows = operand(Array.from({ length: target.shape[0] }, (_, i) => i))
      run('InplaceUpdate', [float('T')], target, rows, values)
    },
  }
}
