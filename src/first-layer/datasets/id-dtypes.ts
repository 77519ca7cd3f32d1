interface IdDtype {
  /** Bytes of an element. */
  readonly bytes: number
  /** Reads little-endian ids, as many as `out` has. An id from 2^31 on comes out as a negative number. */
  read(raw: Buffer, out: Int32Array): void
}

/** Element types of ids without a header, as nanoGPT’s `.bin` has them. */
export const ID_DTYPES: Readonly<Record<'uint16' | 'uint32' | 'int32', IdDtype>> = {
  uint16: {
    bytes: 2,
    read(raw, out) {
      for (let i = 0; i < out.length; i++) out[i] = raw[2 * i]! | (raw[2 * i + 1]! << 8)
    },
  },
  uint32: { bytes: 4, read: readWords },
  int32: { bytes: 4, read: readWords },
}

export type IdDtypeName = keyof typeof ID_DTYPES

function readWords(raw: Buffer, out: Int32Array): void {
  for (let i = 0; i < out.length; i++) out[i] = raw.readInt32LE(4 * i)
}
