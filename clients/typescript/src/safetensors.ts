import { Tensor } from './tensors.js'
import type { Dtype, TensorData, TensorFile } from './values.js'

const DTYPES: Readonly<Record<string, Dtype>> = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
  I32: 'int32',
}

interface Entry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

/** The tensors of a file, over the file's own memory, and its metadata. */
export function readSafetensors(file: Uint8Array<ArrayBuffer>): {
  tensors: [string, Tensor][]
  metadata: Record<string, string>
} {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(
    new TextDecoder().decode(file.subarray(8, 8 + length)),
  )
  const start = file.byteOffset + 8 + length
  const tensors = Object.entries(entries as Record<string, Entry>).map(([name, entry]): [string, Tensor] => {
    const dtype = DTYPES[entry.dtype]
    if (dtype === undefined) throw new TypeError(`${name} is of type ${entry.dtype}`)
    const [begin, end] = entry.data_offsets
    return [
      name,
      new Tensor({ dtype, shape: entry.shape, data: view(dtype, file.buffer, start + begin, end - begin) }),
    ]
  })
  return { tensors, metadata }
}

function view(dtype: Dtype, buffer: ArrayBuffer, offset: number, bytes: number): TensorData['data'] {
  if (dtype === 'float32') return new Float32Array(buffer, offset, bytes / 4)
  if (dtype === 'int32') return new Int32Array(buffer, offset, bytes / 4)
  return new Uint16Array(buffer, offset, bytes / 2)
}

/** A file's parts, which share the tensors' memory. */
export function writeSafetensors(
  tensors: TensorFile,
  metadata: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer>[] {
  if (tensors instanceof Uint8Array) return [tensors]
  const list = tensors instanceof Map ? [...tensors] : Object.entries(tensors)
  let end = 0
  const entries = list.map(([name, { dtype, shape, data }]: [string, TensorData]) => {
    const begin = end
    end += data.byteLength
    const [type] = Object.entries(DTYPES).find(([, each]) => each === dtype)!
    return [name, { dtype: type, shape, data_offsets: [begin, end] }]
  })
  const about = Object.keys(metadata).length > 0 ? { __metadata__: metadata } : {}
  const header = new TextEncoder().encode(JSON.stringify({ ...about, ...Object.fromEntries(entries) }))
  const padded = new Uint8Array(8 + Math.ceil(header.length / 8) * 8).fill(0x20)
  new DataView(padded.buffer).setBigUint64(0, BigInt(padded.length - 8), true)
  padded.set(header, 8)
  const bytes = ({ buffer, byteOffset, byteLength }: TensorData['data']) =>
    new Uint8Array(buffer, byteOffset, byteLength)
  return [padded, ...list.map(([, { data }]: [string, TensorData]) => bytes(data))]
}
