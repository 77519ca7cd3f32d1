import type { TestAnswer } from './helper.js'

/** A tensor as it came over the wire: its dtype's name and its little-endian bytes, whatever the format was. */
export interface Decoded {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly bytes: Buffer
}

export const MEDIA_TYPES = {
  json: 'application/json',
  npy: 'application/x-npy',
  safetensors: 'application/vnd.safetensors',
  raw: 'application/octet-stream',
} as const

interface JsonTensor {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data: unknown
}

/** The tensors of a JSON answer under `encoding_format: base64`. */
export function decodeBase64(answer: TestAnswer): Record<string, Decoded> {
  return mapTensors(answer, ({ dtype, shape, data }) => ({
    dtype,
    shape,
    bytes: Buffer.from(data as string, 'base64'),
  }))
}

/**
 * The tensors of a JSON answer under `encoding_format: float`. Each number is read as a double, rounded to
 * float32, and narrowed by cutting bits off: the values are exact under every dtype.
 */
export function decodeFloats(answer: TestAnswer): Record<string, Decoded> {
  return mapTensors(answer, ({ dtype, shape, data }) => {
    const numbers = (data as unknown[]).flat(shape.length - 1).map(numberOf)
    return { dtype, shape, bytes: TO_BYTES[dtype](numbers) }
  })
}

function mapTensors(answer: TestAnswer, decode: (tensor: JsonTensor) => Decoded): Record<string, Decoded> {
  const { outputs } = answer.json() as { outputs: Record<string, JsonTensor> }
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, decode(tensor)]))
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (value === 'Infinity' || value === '-Infinity' || value === 'NaN') return Number(value)
  throw new TypeError(`${JSON.stringify(value)} is no number of the contract`)
}

const TO_BYTES: Record<string, (numbers: number[]) => Buffer> = {
  int64: (numbers) => Buffer.from(BigInt64Array.from(numbers, BigInt).buffer),
  int32: (numbers) => Buffer.from(Int32Array.from(numbers).buffer),
  float32: (numbers) => Buffer.from(Float32Array.from(numbers).buffer),
  float16: (numbers) => Buffer.from(Uint16Array.from(numbers, (x) => exactFloat16(Math.fround(x))).buffer),
  bfloat16: (numbers) => Buffer.from(Uint16Array.from(numbers, (x) => float32Bits(x) >>> 16).buffer),
}

function float32Bits(x: number): number {
  return new Uint32Array(Float32Array.of(x).buffer)[0]
}

/** The bits of a number that is a float16: read off its binary form, no rounding. */
function exactFloat16(x: number): number {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0
  const size = Math.abs(x)
  if (Number.isNaN(x)) return 0x7e00
  if (size === Infinity) return sign | 0x7c00
  if (size < 2 ** -14) return sign | (size * 2 ** 24)
  const exponent = Math.floor(Math.log2(size))
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024)
}

const SAFETENSORS_DTYPES: Record<string, string> = {
  I64: 'int64',
  I32: 'int32',
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
}

/** A safetensors file, read as its format's description says. */
export function decodeSafetensors(file: Buffer): {
  tensors: Record<string, Decoded>
  metadata: Record<string, string>
} {
  const headerBytes = Number(file.readBigUInt64LE(0))
  const { __metadata__: metadata, ...entries } = JSON.parse(file.toString('utf8', 8, 8 + headerBytes))
  const data = file.subarray(8 + headerBytes)
  const tensors = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => {
      const { dtype, shape, data_offsets } = entry as {
        dtype: string
        shape: number[]
        data_offsets: [number, number]
      }
      return [name, { dtype: SAFETENSORS_DTYPES[dtype], shape, bytes: data.subarray(...data_offsets) }]
    }),
  )
  return { tensors, metadata }
}

const NPY_DTYPES: Record<string, string> = {
  ...{ '<i8': 'int64', '<i4': 'int32' },
  ...{ '<f4': 'float32', '<f2': 'float16' },
}

/** A `.npy` file of format 1.0. */
export function decodeNpy(file: Buffer): Decoded {
  if (file.toString('latin1', 0, 8) !== '\x93NUMPY\x01\x00') throw new Error('not an npy 1.0 file')
  const end = 10 + file.readUInt16LE(8)
  const header = file.toString('latin1', 10, end)
  const descr = /'descr': '([^']+)'/.exec(header)?.[1] ?? ''
  const axes = /'shape': \(([^)]*)\)/.exec(header)?.[1] ?? ''
  const shape = axes.split(',').filter((axis) => axis.trim() !== '')
  return { dtype: NPY_DTYPES[descr], shape: shape.map(Number), bytes: file.subarray(end) }
}

/** A raw answer: the headers have its name, type and shape. */
export function decodeRaw(answer: TestAnswer): Decoded & { name: string } {
  const { headers } = answer
  return {
    name: headers['x-tensor-name'] ?? '',
    dtype: headers['x-tensor-dtype'] ?? '',
    shape: (headers['x-tensor-shape'] ?? '').split(',').map(Number),
    bytes: answer.body,
  }
}

/** Float32 elements of a decoded tensor, in new memory. */
export function floats({ bytes }: Pick<Decoded, 'bytes'>): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer)
}

/** Int32 elements of a decoded tensor. */
export function ints({ bytes }: Pick<Decoded, 'bytes'>): Int32Array {
  return new Int32Array(Uint8Array.from(bytes).buffer)
}
