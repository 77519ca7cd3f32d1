import { createHash } from 'node:crypto'
import type { WindowIndex } from '../../first-layer/datasets/segments.js'
import type { PackingRule } from '../../first-layer/datasets/window-index.js'
import { sharedFloat64Array } from '../../first-layer/kernels/large-array.js'
import type { Storage } from '../storage.js'

/** `INLETIDX`, and the version of this layout: a file of another one is made anew. */
const MAGIC = 0x494e4c4554494458n
const VERSION = 1n

/** The head: magic, version, count, filledSlots, droppedTokens, splitDocuments, lengths of places and firsts. */
const HEAD_WORDS = 8

/** The rule of an index as a text: equal rules have equal texts. */
export function ruleKey({ contextLength, stride, tail, packing, longDocuments }: PackingRule): string {
  const isPacked = packing === 'best_fit'
  const parts = isPacked
    ? [packing, contextLength, longDocuments ?? 'split']
    : [packing ?? 'none', contextLength, stride ?? contextLength, tail ?? 'drop']
  return parts.join(' ')
}

function fileName(rule: PackingRule): string {
  return `index-${createHash('sha256').update(ruleKey(rule)).digest('hex').slice(0, 32)}.bin`
}

/** Reads the index of a packing that a process has made before; undefined: none has. */
export async function readIndex(
  storage: Storage,
  id: string,
  rule: PackingRule,
): Promise<WindowIndex | undefined> {
  const file = await storage.openBeside(id, fileName(rule))
  if (file === undefined) return undefined
  try {
    const head = new BigUint64Array(HEAD_WORDS)
    if (file.size < head.byteLength) return undefined
    await file.read(bytesOf(head))
    const [magic, version, ...numbers] = head
    const [count, filledSlots, droppedTokens, splitDocuments, numPlaces, numFirsts] = numbers.map(Number)
    const isWhole = file.size === 8 * (HEAD_WORDS + numPlaces! + numFirsts!)
    if (magic !== MAGIC || version !== VERSION || !isWhole) return undefined
    const places = sharedFloat64Array(numPlaces!)
    const firsts = sharedFloat64Array(numFirsts!)
    await file.read(bytesOf(places))
    await file.read(bytesOf(firsts))
    return {
      ...{ count: count!, filledSlots: filledSlots!, droppedTokens: droppedTokens! },
      ...{ splitDocuments: splitDocuments!, places, firsts },
    }
  } finally {
    await file.close()
  }
}

/** Keeps the index of a packing beside its dataset. */
export async function writeIndex(
  storage: Storage,
  id: string,
  rule: PackingRule,
  index: WindowIndex,
): Promise<void> {
  const { count, filledSlots, droppedTokens, splitDocuments, places, firsts } = index
  if (places === undefined || firsts === undefined) return
  const counts = [count, filledSlots, droppedTokens, splitDocuments, places.length, firsts.length]
  const head = BigUint64Array.from([MAGIC, VERSION, ...counts.map(BigInt)])
  await storage.writeBeside(id, fileName(rule), [bytesOf(head), bytesOf(places), bytesOf(firsts)])
}

function bytesOf({ buffer, byteOffset, byteLength }: BigUint64Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
