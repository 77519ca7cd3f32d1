/** A part of a flatbuffer that a field points to. */
export type FlatPart =
  /** Fields by slot; undefined: absent. */
  | { readonly table: readonly (FlatField | undefined)[] }
  | { readonly text: string }
  | { readonly vector: readonly FlatPart[] }
  /** Structs of int64, each as long as the others. */
  | { readonly structs: readonly (readonly number[])[] }

/** A field of a table: a number in its place, or a part elsewhere. */
export type FlatField = { readonly type: keyof typeof SCALARS; readonly value: number } | FlatPart

/** Bytes of a scalar, by its type. */
const SCALARS = { uint8: 1, int16: 2, int32: 4, int64: 8 } as const
const OFFSET_BYTES = 4
const FIRST_BYTES = 1024

/**
 * A flatbuffer with this table as its root. Parents stand before what they point to, the vtable of each table before it, and
 * the same table is always the same bytes. Source: flatbuffers.dev, "FlatBuffer Internals".
 */
export function flatbuffer(root: readonly (FlatField | undefined)[]): Buffer {
  const writer = new FlatWriter()
  writer.point(writer.room(OFFSET_BYTES, OFFSET_BYTES), { table: root })
  return writer.bytes()
}

class FlatWriter {
  #buffer = Buffer.alloc(FIRST_BYTES)
  #end = 0

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end)
  }

  /** Takes room at a multiple of `alignment`, or `before` bytes behind one. @returns its place */
  room(size: number, alignment: number, before = 0): number {
    const place = Math.ceil((this.#end - before) / alignment) * alignment + before
    this.#end = place + size
    while (this.#end > this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer], 2 * this.#buffer.length)
    return place
  }

  /** Writes a part, and at `place` how far on it lies. */
  point(place: number, part: FlatPart): void {
    const target = this.#part(part)
    this.#buffer.writeUInt32LE(target - place, place)
  }

  #part(part: FlatPart): number {
    if ('table' in part) return this.#table(part.table)
    if ('text' in part) return this.#text(part.text)
    return 'vector' in part ? this.#vector(part.vector) : this.#structs(part.structs)
  }

  #table(fields: readonly (FlatField | undefined)[]): number {
    const vtable = this.room(4 + 2 * fields.length, 2)
    const slots = fields
      .flatMap((field, slot) => (field === undefined ? [] : [{ field, slot, size: sizeOf(field) }]))
      .sort((a, b) => b.size - a.size) // the widest first: then none needs padding
    const size = slots.reduce((sum, slot) => sum + slot.size, OFFSET_BYTES)
    const table = this.room(size, 8, OFFSET_BYTES)
    this.#buffer.writeUInt16LE(4 + 2 * fields.length, vtable)
    this.#buffer.writeUInt16LE(size, vtable + 2)
    this.#buffer.writeInt32LE(table - vtable, table)
    let at = table + OFFSET_BYTES
    const parts: { readonly place: number; readonly part: FlatPart }[] = []
    for (const { field, slot, size } of slots) {
      this.#buffer.writeUInt16LE(at - table, vtable + 4 + 2 * slot)
      if ('type' in field) this.#scalar(field.value, size, at)
      else parts.push({ place: at, part: field })
      at += size
    }
    for (const { place, part } of parts) this.point(place, part)
    return table
  }

  #scalar(value: number, size: number, at: number): void {
    // Of an answer that is refused for its size lengths may be beyond 64 bits.
    if (size === 8) this.#buffer.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)), at)
    else this.#buffer.writeIntLE(value, at, size)
  }

  /** The length, the text in UTF-8, a zero. */
  #text(text: string): number {
    const length = Buffer.byteLength(text)
    const place = this.room(4 + length + 1, 4)
    this.#buffer.writeUInt32LE(length, place)
    this.#buffer.write(text, place + 4)
    return place
  }

  #vector(parts: readonly FlatPart[]): number {
    const place = this.room(4 + OFFSET_BYTES * parts.length, 4)
    this.#buffer.writeUInt32LE(parts.length, place)
    for (const [index, part] of parts.entries()) this.point(place + 4 + OFFSET_BYTES * index, part)
    return place
  }

  /** The length, then the structs at a multiple of 8. */
  #structs(structs: readonly (readonly number[])[]): number {
    const numbers = structs.flat()
    const place = this.room(4 + 8 * numbers.length, 8, 4)
    this.#buffer.writeUInt32LE(structs.length, place)
    for (const [index, value] of numbers.entries()) this.#scalar(value, 8, place + 4 + 8 * index)
    return place
  }
}

function sizeOf(field: FlatField): number {
  return 'type' in field ? SCALARS[field.type] : OFFSET_BYTES
}
