import { type Dtype, elementCount } from '../named-tensor.js'

const STORAGE: Readonly<Record<Dtype, string>> = {
  float32: 'FloatStorage',
  float16: 'HalfStorage',
  bfloat16: 'BFloat16Storage',
  int64: 'LongStorage',
  int32: 'IntStorage',
}

const MARK = '('
const TUPLE = 't'
const EMPTY_TUPLE = ')'
const REDUCE = 'R'
const STOP = '.'
const NEWFALSE = '\x89'
const BINPERSID = 'Q'

/**
 * The pickle of `torch.save` for a contiguous tensor, the bytes after `pickletools.optimize`: protocol 2,
 * `_rebuild_tensor_v2(('storage', FloatStorage, '0', 'cpu', 6), 0, (2, 3), (3, 1), False, OrderedDict())`, where the
 * storage `'0'` is the file's `data/0`. float32 [2, 3] → 130 bytes.
 *
 * Source: torch/_utils.py, `_rebuild_tensor_v2`; Python's Lib/pickletools.py for the operations.
 */
export function tensorPickle(dtype: Dtype, shape: readonly number[]): Buffer {
  const storage = [
    text('storage'),
    global('torch', STORAGE[dtype]),
    text('0'),
    text('cpu'),
    integer(elementCount(shape)),
  ]
  const tensor = [
    MARK + storage.join('') + TUPLE + BINPERSID,
    integer(0), // offset of the tensor in its storage
    tuple(shape),
    tuple(strides(shape)),
    NEWFALSE, // requires_grad
    global('collections', 'OrderedDict') + EMPTY_TUPLE + REDUCE,
  ]
  const rebuilt = global('torch._utils', '_rebuild_tensor_v2') + MARK + tensor.join('') + TUPLE + REDUCE
  return Buffer.from(`\x80\x02${rebuilt}${STOP}`, 'latin1')
}

/** Elements from one index of an axis to the next: [2, 3, 4] → [12, 4, 1]. */
function strides(shape: readonly number[]): number[] {
  return shape.map((_, axis) => elementCount(shape.slice(axis + 1)))
}

function global(module: string, name: string): string {
  return `c${module}\n${name}\n`
}

function text(ascii: string): string {
  return `X${littleEndian(ascii.length, 4)}${ascii}`
}

function tuple(items: readonly number[]): string {
  const all = items.map(integer).join('')
  if (items.length === 0) return EMPTY_TUPLE
  if (items.length <= 3) return all + String.fromCharCode(0x84 + items.length) // TUPLE1 … TUPLE3
  return MARK + all + TUPLE
}

/** A natural number as Python pickles it: BININT1, BININT2, BININT, or LONG1 from 2^31 on. */
function integer(value: number): string {
  if (value < 2 ** 8) return `K${littleEndian(value, 1)}`
  if (value < 2 ** 16) return `M${littleEndian(value, 2)}`
  if (value < 2 ** 31) return `J${littleEndian(value, 4)}`
  let bytes = 4
  while (value >= 2 ** (8 * bytes - 1)) bytes++ // the highest bit is the sign
  return `\x8a${String.fromCharCode(bytes)}${littleEndian(value, bytes)}`
}

function littleEndian(value: number, bytes: number): string {
  let text = ''
  for (let i = 0, rest = value; i < bytes; i++, rest = Math.floor(rest / 256)) {
    text += String.fromCharCode(rest % 256)
  }
  return text
}
