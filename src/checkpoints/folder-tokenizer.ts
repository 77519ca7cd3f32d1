import { createHash } from 'node:crypto'
import type { TokenizerCard } from '../first-layer/cards/model-card.js'
import { loadLibrary } from '../first-layer/tokens/foreign/library.js'
import type { JsonObject } from '../first-layer/tokens/tokenizer-file/fields.js'
import { missingTokenizerReason } from '../first-layer/tokens/tokenizer-file/missing.js'
import { parseJsonFile } from '../first-layer/tokens/tokenizer-file/parse-json.js'
import {
  readTokenizerFiles,
  TOKENIZER_FILES,
  type TokenizerFile,
} from '../first-layer/tokens/tokenizer-file/read.js'
import type { CheckpointFiles } from './checkpoint-files.js'
import { MAX_TOKENIZER_BYTES, MAX_TOKENIZER_SIDE_BYTES } from './model-files.js'
import { inSharedMemory } from './shared-arrays.js'

/** A folder's tokenizer, and its tokenizer.json for those who have to know more of it. */
export interface FolderTokenizer {
  readonly card: TokenizerCard
  /** Undefined where the folder has none. */
  readonly json: JsonObject | undefined
}

/**
 * The tokenizer of a folder, ready to be made in each thread. Reading a large file takes a second in one turn: call it in
 * a thread that serves nobody.
 *
 * @throws InletError `model_failed` for files that are there and cannot be right
 */
export async function folderTokenizer(files: CheckpointFiles): Promise<FolderTokenizer> {
  const tokenizer = await files.text(TOKENIZER_FILES.tokenizer, MAX_TOKENIZER_BYTES)
  if (tokenizer === undefined) {
    const reason = missingTokenizerReason(new Set(await files.names()))
    return { card: { type: 'none', reason }, json: undefined }
  }
  const config = await files.text(TOKENIZER_FILES.config, MAX_TOKENIZER_SIDE_BYTES)
  const specialTokensMap = await files.text(TOKENIZER_FILES.specialTokensMap, MAX_TOKENIZER_SIDE_BYTES)
  const json = parseJsonFile(TOKENIZER_FILES.tokenizer, tokenizer)
  const read = readTokenizerFiles({ tokenizer, config, specialTokensMap }, json)
  const key = digestOf([tokenizer, config ?? '', specialTokensMap ?? ''])
  return { card: await cardOf(read, key), json }
}

async function cardOf(read: TokenizerFile, key: string): Promise<TokenizerCard> {
  if (read.kind === 'byte_pair') return { type: 'byte_pair', key, spec: inSharedMemory(read.spec) }
  if (read.kind === 'wordpiece') return { type: 'wordpiece', key, spec: inSharedMemory(read.spec) }
  const { reason } = await loadLibrary()
  if (reason !== undefined) return { type: 'none', reason: `${reason}, which encodes ${read.spec.component}` }
  return { type: 'foreign', key, spec: inSharedMemory(read.spec), json: sharedText(read.json) }
}

/** Tokenizers of the same files are one and the same, whichever model has them. */
function digestOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

function sharedText(text: string): Uint8Array {
  return inSharedMemory(new TextEncoder().encode(text))
}
