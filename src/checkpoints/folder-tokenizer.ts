import { createHash } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import type { TokenizerCard } from '../first-layer/cards/model-card.js'
import { loadLibrary } from '../first-layer/tokens/rust/open-file.js'
import {
  readTokenizerFiles,
  TOKENIZER_FILES,
  type TokenizerFile,
} from '../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { isObject, type JsonObject, parseJsonFile } from '../first-layer/tokens/tokenizer-file/fields.js'
import { readModel } from '../first-layer/tokens/tokenizer-file/model-vocabulary.js'
import { readAddedTokens } from '../first-layer/tokens/tokenizer-file/tokenizer-facts.js'
import { type CheckpointFiles, folderError } from './checkpoint-files.js'
import { howToMakeTokenizer } from './how-to-convert.js'

/** Smaller arrays are copied to each thread: that costs less than shared memory for each. */
const SMALL = 1 << 10

/**
 * Bytes of heap for each byte of a tokenizer.json, and for each of the blanks of its lines, half of some files. Measured:
 * WordPiece of a million tokens needs 15, byte-level BPE 18 to 24, Gemma's 26.
 */
const HEAP_PER_BYTE = 26
const HEAP_PER_BLANK = 2

/**
 * Reads a folder's tokenizer, to be made in each thread. A large file takes a second of one turn: call it in a thread that
 * serves no requests.
 *
 * @returns its card and tokenizer.json, one more than its greatest id, and the id of its `pad_token`, or of tokenizer.json's
 * own padding; without tokenizer.json no ids
 * @throws InletError `model_failed` for malformed files
 */
export async function folderTokenizer(files: CheckpointFiles) {
  const tokenizer = await files.text(TOKENIZER_FILES.tokenizer)
  if (tokenizer === undefined) {
    const reason = howToMakeTokenizer(new Set(await files.names())) ?? 'The folder has no tokenizer.json.'
    return { card: { type: 'none', reason } as TokenizerCard, vocabSize: 0 }
  }
  checkHeap(tokenizer)
  const config = await files.text(TOKENIZER_FILES.config)
  const specialTokensMap = await files.text(TOKENIZER_FILES.specialTokensMap)
  const json = parseJsonFile(TOKENIZER_FILES.tokenizer, tokenizer, JSON.parse)
  const read = readTokenizerFiles({ tokenizer, config, specialTokensMap }, json)
  const texts = JSON.stringify([tokenizer, config ?? '', specialTokensMap ?? ''])
  const key = createHash('sha256').update(texts).digest('hex') // models with equal files share a tokenizer
  const { pad_id: padId } = isObject(json.padding) ? json.padding : {}
  const padTokenId = read.facts.roleIds.pad ?? (Number.isSafeInteger(padId) ? (padId as number) : undefined)
  return { card: await cardOf(read, key), json, vocabSize: vocabSizeOf(json), padTokenId }
}

function vocabSizeOf(json: JsonObject): number {
  const { vocabulary } = readModel(json, TOKENIZER_FILES.tokenizer)
  const added = readAddedTokens(json, vocabulary, TOKENIZER_FILES.tokenizer)
  const ids = [...vocabulary.values(), ...added.map(({ id }) => id)]
  return ids.reduce((size, id) => Math.max(size, id + 1), 0)
}

/** Running out of heap ends the process, in whichever thread: no error that could be caught. */
function checkHeap(tokenizer: string): void {
  const { heap_size_limit: heap } = getHeapStatistics()
  const bytes = Buffer.byteLength(tokenizer)
  let blanks = 0
  for (let i = 0; i < tokenizer.length; i++) if (tokenizer.charCodeAt(i) <= 0x20) blanks++
  const need = (bytes - blanks) * HEAP_PER_BYTE + blanks * HEAP_PER_BLANK
  if (need <= heap) return
  const given = `has ${bytes} bytes, and reading it may need ${need} bytes of heap. There are ${heap}`
  const option = `NODE_OPTIONS=--max-old-space-size=${Math.ceil(need / 2 ** 20)}`
  throw folderError(TOKENIZER_FILES.tokenizer, `${given}: more memory, or ${option}`)
}

async function cardOf(read: TokenizerFile, key: string): Promise<TokenizerCard> {
  if (read.kind !== 'foreign')
    return inSharedMemory({ type: read.kind, key, spec: read.spec } as TokenizerCard)
  const library = await loadLibrary()
  if (typeof library === 'string')
    return { type: 'none', reason: `${library}, which encodes ${read.spec.component}` }
  return inSharedMemory({ type: 'foreign', key, spec: read.spec, json: new TextEncoder().encode(read.json) })
}

/** Moves the large typed arrays of plain data into shared memory, so that posting the data copies none of them. */
function inSharedMemory<Data>(data: Data): Data {
  if (ArrayBuffer.isView(data)) return shared(data as unknown as Uint8Array) as Data
  if (Array.isArray(data)) return data.map((each) => inSharedMemory(each)) as Data
  if (typeof data !== 'object' || data === null || data instanceof SharedArrayBuffer) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, inSharedMemory(value)]),
  ) as Data
}

function shared(view: Uint8Array): Uint8Array {
  if (view.buffer instanceof SharedArrayBuffer || view.byteLength < SMALL) return view
  const Kind = view.constructor as Uint8ArrayConstructor
  const copy = new Kind(new SharedArrayBuffer(view.byteLength))
  copy.set(view)
  return copy
}
