/** The bytes of each tensor of a safetensors file. */
export function parsedSafetensors(file: Uint8Array): Record<string, Buffer> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const start = 8 + Number(bytes.readBigUInt64LE(0))
  const { __metadata__: _, ...tensors } = JSON.parse(bytes.toString('utf8', 8, start))
  return Object.fromEntries(
    Object.entries<{ data_offsets: [number, number] }>(tensors).map(
      ([
        name,
        {
          data_offsets: [from, to],
        },
      ]) => [name, bytes.subarray(start + from, start + to)],
    ),
  )
}
