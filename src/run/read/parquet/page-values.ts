import type { DecodedArray, ParquetType } from 'hyparquet'
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { readRuns } from './runs.js'

/** Of indexes into a dictionary: it is a page, of at most 2^30 bytes. */
const MAX_INDEX_BITS = 24

/**
 * A page's values, strings as their bytes.
 *
 * @throws Error for an encoding that these types do not have, and for bytes that end before the values
 */
export function readValues(
  bytes: Uint8Array,
  encoding: string,
  count: number,
  type: ParquetType,
  dictionary?: DecodedArray,
): DecodedArray {
  if (count === 0) return []
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 }
  switch (encoding) {
    case 'PLAIN':
      return readPlain(reader, type, count, undefined)
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      return fromDictionary(bytes, count, dictionary ?? [])
    case 'DELTA_BINARY_PACKED': {
      const numbers = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count)
      deltaBinaryUnpack(reader, count, numbers)
      return numbers
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY': {
      const texts = new Array<Uint8Array>(count)
      const read = encoding === 'DELTA_BYTE_ARRAY' ? deltaByteArray : deltaLengthByteArray
      read(reader, count, texts)
      return texts
    }
    default:
      throw new Error(`a page must not be encoded as ${encoding}`)
  }
}

/** The width of an index, then all indexes. */
function fromDictionary(bytes: Uint8Array, count: number, dictionary: DecodedArray): DecodedArray {
  const width = bytes[0] ?? 0
  if (width > MAX_INDEX_BITS)
    throw new Error(`an index must have at most ${MAX_INDEX_BITS} bits. Given: ${width}`)
  const indexes = readRuns(bytes.subarray(1), width, new Int32Array(count))
  const values = new Array<Uint8Array | number | bigint>(count)
  for (let i = 0; i < count; i++) {
    const value = dictionary[indexes[i]!]
    if (value === undefined)
      throw new Error(`index ${indexes[i]} is beyond a dictionary of ${dictionary.length}`)
    values[i] = value
  }
  return values
}
