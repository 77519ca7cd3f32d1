/** One document of token ids, or several. */
export type Ids = IdList | readonly IdList[]
type IdList = readonly number[] | Int32Array | Uint32Array | Uint16Array

/** One vector, or several. */
export type Numbers = NumberList | readonly NumberList[]
type NumberList = readonly number[] | Float32Array | Float64Array

/** A whole number of 64 bits. */
export type Integer = number | bigint | string

/** A text, several, or the bytes of one in UTF-8, which are sent as they are. */
export type Text = string | readonly string[] | Uint8Array<ArrayBuffer>

export type Dtype = 'float32' | 'float16' | 'bfloat16' | 'int32'

/** The numbers of a tensor in memory, row by row. 16-bit floats are their bits. */
export interface TensorData {
  readonly dtype: Dtype
  readonly shape: readonly number[]
  readonly data: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>
}

/** Tensors by name, or a safetensors file. */
export type TensorFile =
  | ReadonlyMap<string, TensorData>
  | Readonly<Record<string, TensorData>>
  | Uint8Array<ArrayBuffer>

/** As `JSON.stringify` takes it: typed arrays become lists, 64-bit integers strings. */
export function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value
}

/** `{ outputs: ['cos', 'sin'], position_embedding: { type: 'rope' } }` → `outputs=cos%2Csin&position_embedding=rope` */
export function queryString(fields: object): string {
  return new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => pairs(name, value))).toString()
}

function pairs(name: string, value: unknown): [string, string][] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, String(value)]]
  // The type of a field stands for the field: its options follow it.
  return Object.entries(value).flatMap(([key, inner]) =>
    pairs(key === 'type' && !name.includes('.') ? name : `${name}.${key}`, inner),
  )
}

/** A name for one call, which no other has: `Idempotency-Key`. Pages without TLS have no `crypto.randomUUID`. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
