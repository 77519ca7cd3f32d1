/** A tensor of a file: float32 numbers, or bytes of another type. */
export interface FileTensor {
  readonly shape: readonly number[]
  readonly numbers?: readonly number[]
  readonly bytes?: Buffer
  readonly dtype?: string
  readonly offsets?: readonly [number, number]
}

/** A safetensors file of these tensors, one after the other. */
export function tableFile(
  tensors: Readonly<Record<string, FileTensor>>,
  metadata?: Readonly<Record<string, unknown>>,
): Buffer {
  const header: Record<string, unknown> = metadata === undefined ? {} : { __metadata__: metadata }
  const parts: Buffer[] = []
  let at = 0
  for (const [
    name,
    { shape, numbers = [], bytes = floats(numbers), dtype = 'F32', offsets },
  ] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: offsets ?? [at, at + bytes.length] }
    at += bytes.length
    parts.push(bytes)
  }
  return rawFile(JSON.stringify(header), Buffer.concat(parts))
}

/** Length, header and data as they are given: the header may be anything. */
export function rawFile(header: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const json = Buffer.from(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, data])
}

export function floats(numbers: readonly number[]): Buffer {
  return Buffer.from(Float32Array.from(numbers).buffer)
}

/** The tensors of a file, as float32 numbers. */
export function readTables(file: Buffer): Record<string, { shape: number[]; numbers: number[] }> {
  const end = 8 + Number(file.readBigUInt64LE(0))
  const { __metadata__: _, ...header } = JSON.parse(file.toString('utf8', 8, end))
  const tensors = Object.entries(header as Record<string, { shape: number[]; data_offsets: number[] }>)
  return Object.fromEntries(
    tensors.map(([name, { shape, data_offsets }]) => {
      const bytes = file.subarray(end + data_offsets[0], end + data_offsets[1])
      return [name, { shape, numbers: [...new Float32Array(new Uint8Array(bytes).buffer)] }]
    }),
  )
}
