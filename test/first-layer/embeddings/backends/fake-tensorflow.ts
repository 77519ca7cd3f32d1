import {
  type BackendValues,
  type DataId,
  DataStorage,
  type DataType,
  engine,
  KernelBackend,
  type Tensor,
  type TensorInfo,
} from '@tensorflow/tfjs-core'
import type {
  AddonTensor,
  OpAttribute,
} from '../../../../src/first-layer/embeddings/backends/tensorflow-ops.js'
import { bfloat16Bits, bfloat16Value, float16Bits, float16Value } from '../../../twins/sixteen-bits.js'

const [FLOAT, INT32, UINT8, BFLOAT16, UINT16, HALF] = [1, 3, 4, 14, 17, 19]
const BYTES: Readonly<Record<number, number>> = { [FLOAT]: 4, [INT32]: 4, [UINT8]: 1, [BFLOAT16]: 2, [UINT16]: 2, [HALF]: 2 } // biome-ignore format: a table

type Values = Float32Array | Int32Array | Uint8Array | Uint16Array

/** One of the addon's tensors. */
interface Held {
  readonly shape: number[]
  readonly dtype: number
  readonly values: Values
}

function arrayOf(dtype: number) {
  if (dtype === FLOAT) return Float32Array
  if (dtype === INT32) return Int32Array
  return dtype === UINT8 ? Uint8Array : Uint16Array
}

const elements = (shape: readonly number[]) => shape.reduce((product, axis) => product * axis, 1)

/** TensorFlow flushes what is subnormal to zero, before and after an addition. */
const flushed = (value: number) => (Math.abs(value) < 2 ** -126 ? value * 0 : value)

/** The value of each element of one of these types. */
const VALUES: Readonly<Record<number, (bits: number) => number>> = {
  [HALF]: float16Value,
  [BFLOAT16]: bfloat16Value,
}
const BITS: Readonly<Record<number, (value: number) => number>> = {
  [HALF]: float16Bits,
  [BFLOAT16]: bfloat16Bits,
}

/** The ops of TensorFlow that the embedding op is made of, as its C API defines them. */
const OPS: Readonly<Record<string, (attributes: ReadonlyMap<string, unknown>, inputs: Held[]) => Held>> = {
  GatherV2(_, [params, indices]) {
    const [rows, ...rest] = params.shape
    const dim = elements(rest)
    const values = new (arrayOf(params.dtype))(indices.values.length * dim)
    indices.values.forEach((row, i) => {
      if (row < 0 || row >= rows) throw new Error(`indices[${i}] = ${row} is not in [0, ${rows})`)
      values.set(params.values.subarray(row * dim, (row + 1) * dim), i * dim)
    })
    return { dtype: params.dtype, shape: [...indices.shape, ...rest], values }
  },
  AddV2(_, [rows, other]) {
    const sum = (value: number, i: number) =>
      flushed(flushed(value) + flushed(other.values[i % other.values.length]))
    return { ...rows, values: Float32Array.from(rows.values as Float32Array, sum) }
  },
  Slice(_, [input, begin, size]) {
    const dim = input.shape[1]
    const [first, count] = [begin.values[0], size.values[0]]
    return {
      dtype: input.dtype,
      shape: [count, dim],
      values: input.values.slice(first * dim, (first + count) * dim),
    }
  },
  Reshape: (_, [input, shape]) => ({ ...input, shape: [...shape.values] }),
  InplaceUpdate(_, [target, , values]) {
    target.values.set(values.values)
    return target
  },
  Bitcast(attributes, [input]) {
    const dtype = attributes.get('type') as number
    const { buffer, byteOffset, byteLength } = input.values
    const shape = BYTES[input.dtype] < BYTES[dtype] ? input.shape.slice(0, -1) : input.shape
    const values = new (arrayOf(dtype))(buffer as ArrayBuffer, byteOffset, byteLength / BYTES[dtype])
    return { dtype, shape, values }
  },
  Cast(attributes, [input]) {
    const dtype = attributes.get('DstT') as number
    const value = VALUES[input.dtype] ?? ((bits: number) => bits)
    const bits = BITS[dtype] ?? ((number: number) => number)
    const values = new (arrayOf(dtype))(input.values.length)
    input.values.forEach((element, i) => {
      values[i] = bits(value(element))
    })
    return { dtype, shape: input.shape, values }
  },
}

/** The C++ addon of tfjs-node, as far as it is used. */
class FakeAddon {
  readonly TF_Version = 'fake'
  readonly TF_FLOAT = FLOAT
  readonly TF_INT32 = INT32
  readonly TF_UINT8 = UINT8
  readonly TF_ATTR_INT = 1
  readonly TF_ATTR_TYPE = 4
  readonly TF_ATTR_BOOL = 3
  readonly #held = new Map<number, Held>()
  #next = 0

  createTensor(shape: number[], dtype: number, values: Values): number {
    if (values.length !== elements(shape)) throw new Error('Shape does not match typed-array')
    // The addon refuses arrays of 16 bits.
    if (values instanceof Uint16Array || !(values instanceof arrayOf(dtype)))
      throw new Error(`Tensor type does not match ${values.constructor.name}`)
    const isAligned = values.byteOffset % 64 === 0
    return this.#hold({ shape, dtype, values: isAligned ? values : values.slice() }).id
  }

  executeOp(op: string, attributes: OpAttribute[], inputs: number[]): AddonTensor[] {
    const given = new Map(attributes.map(({ name, value }) => [name, value]))
    return [
      this.#hold(
        OPS[op](
          given,
          inputs.map((id) => this.#get(id)),
        ),
      ),
    ]
  }

  tensorDataSync(id: number): Values {
    const { dtype, values } = this.#get(id)
    if (dtype !== FLOAT && dtype !== INT32) throw new Error(`Unhandled TF_DataType: ${dtype}`)
    return values.slice()
  }

  deleteTensor(id: number): void {
    if (!this.#held.delete(id)) throw new Error(`Delete called on a Tensor not referenced (tensor_id: ${id})`)
  }

  getNumOfTensors(): number {
    return this.#held.size
  }

  #get(id: number): Held {
    const held = this.#held.get(id)
    if (held === undefined) throw new Error(`Input Tensor ID not referenced (tensor_id: ${id})`)
    return held
  }

  #hold(held: Held): AddonTensor {
    const id = this.#next++
    this.#held.set(id, held)
    return { id, shape: held.shape, dtype: held.dtype }
  }
}

interface Entry {
  readonly shape: number[]
  readonly dtype: number
  values: Values | null
  id: number
  refCount: number
}

/**
 * A stand-in for tfjs-node's backend, for where it is not installed: it keeps TensorFlow.js's tensors as that does,
 * and gives them to its addon at their first use.
 */
export class FakeTensorflow extends KernelBackend {
  readonly binding = new FakeAddon()
  readonly #tensors = new DataStorage<Entry>(this as unknown as KernelBackend, engine())

  override write(values: BackendValues, shape: number[], dtype: DataType): DataId {
    const dataId = {}
    this.#tensors.set(dataId, {
      shape,
      dtype: dtype === 'float32' ? FLOAT : INT32,
      values: values as Values,
      id: -1,
      refCount: 1,
    })
    return dataId
  }

  override readSync(dataId: DataId): Float32Array {
    const { values, id } = this.#tensors.get(dataId)
    return (values ?? this.binding.tensorDataSync(id)) as Float32Array
  }

  override incRef(dataId: DataId): void {
    this.#tensors.get(dataId).refCount++
  }

  override disposeData(dataId: DataId, force = false): boolean {
    const entry = this.#tensors.get(dataId)
    entry.refCount--
    if (!force && entry.refCount > 0) return false
    if (entry.id >= 0) this.binding.deleteTensor(entry.id)
    this.#tensors.delete(dataId)
    return true
  }

  override numDataIds(): number {
    return this.#tensors.numDataIds()
  }

  override memory() {
    return { unreliable: false }
  }

  override floatPrecision(): 32 {
    return 32
  }

  getInputTensorIds(tensors: TensorInfo[]): number[] {
    return tensors.map(({ dataId }) => {
      const entry = this.#tensors.get(dataId)
      if (entry.values !== null) {
        entry.id = this.binding.createTensor(entry.shape, entry.dtype, entry.values)
        entry.values = null
      }
      return entry.id
    })
  }

  executeSingleOutput(op: string, attributes: OpAttribute[], inputs: TensorInfo[]): Tensor {
    const [output] = this.binding.executeOp(op, attributes, this.getInputTensorIds(inputs))
    return this.createOutputTensor(output)
  }

  createOutputTensor({ id, shape, dtype }: AddonTensor): Tensor {
    if (dtype !== FLOAT && dtype !== INT32) throw new Error(`Unknown dtype enum ${dtype}`)
    const dataId = {}
    this.#tensors.set(dataId, { shape, dtype, values: null, id, refCount: 1 })
    return engine().makeTensorFromTensorInfo({
      dataId,
      shape,
      dtype: dtype === FLOAT ? 'float32' : 'int32',
    })
  }
}
