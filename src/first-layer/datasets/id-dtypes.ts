interface IdDtype {
  readonly bytes: number
  /** Reads little-endian ids, as many as `out` has. An id from 2^31 on comes out as a negative number. */
  read(raw: Uint8Array, out: Int32Array): void
  /** Writes ids little-endian. @param raw its start must be aligned to an element */
  write(ids: Int32Array, raw: Uint8Array): void
}

/** Element types of ids without a header, as nanoGPT’s `.bin` has them. */
export const ID_DTYPES: Readonly<Record<'uint16' | 'uint32' | 'int32', IdDtype>> = {
  uint16: idDtype(Uint16Array),
  uint32: idDtype(Uint32Array),
  int32: idDtype(Int32Array),
}

export type IdDtypeName = keyof typeof ID_DTYPES

type Elements = typeof Uint16Array | typeof Uint32Array | typeof Int32Array

function idDtype(elements: Elements): IdDtype {
  const bytes = elements.BYTES_PER_ELEMENT
  const view = ({ buffer, byteOffset }: Uint8Array, length: number) =>
    new elements(buffer as ArrayBuffer, byteOffset, length)
  return {
    bytes,
    read(raw, out) {
      const aligned = raw.byteOffset % bytes === 0 ? raw : new Uint8Array(raw).subarray(0, out.length * bytes)
      out.set(view(aligned, out.length))
    },
    write: (ids, raw) => view(raw, ids.length).set(ids),
  }
}
