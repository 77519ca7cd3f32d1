/** The tensors of a safetensors file: `{ name: { shape, bytes } }`. */
export function tensorsOf(file) {
  const length = Number(file.readBigUInt64LE(0))
  const head = JSON.parse(file.toString('utf8', 8, 8 + length))
  delete head.__metadata__
  const data = file.subarray(8 + length)
  return Object.fromEntries(
    Object.entries(head).map(
      ([
        name,
        {
          shape,
          data_offsets: [begin, end],
        },
      ]) => [name, { shape, bytes: data.subarray(begin, end) }],
    ),
  )
}
