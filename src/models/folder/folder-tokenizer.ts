import { createHash } from 'node:crypto'
import { loadLibrary } from '../../tokens/foreign/library.js'
import { missingTokenizerReason } from '../../tokens/tokenizer-file/missing.js'
import { readTokenizerFiles, TOKENIZER_FILES } from '../../tokens/tokenizer-file/read.js'
import type { TokenizerCard } from '../model-card.js'
import type { CheckpointFiles } from './checkpoint-files.js'
import { inSharedMemory } from './shared-arrays.js'
import { MAX_TOKENIZER_BYTES } from './static-tokenizer.js'

/** Most bytes of the files beside tokenizer.json. */
const MAX_SIDE_BYTES = 1 << 24

/**
 * The tokenizer of a folder, ready to be made in each thread. Reading a large file takes a second in one turn: call it in
 * a thread that serves nobody.
 *
 * @throws InletError `model_failed` for files that are there and cannot be right
 */
export async function folderTokenizer(files: CheckpointFiles): Promise<TokenizerCard> {
  const tokenizer = await files.text(TOKENIZER_FILES.tokenizer, MAX_TOKENIZER_BYTES)
  if (tokenizer === undefined) {
    return { type: 'none', reason: missingTokenizerReason(new Set(await files.names())) }
  }
  const config = await files.text(TOKENIZER_FILES.config, MAX_SIDE_BYTES)
  const specialTokensMap = await files.text(TOKENIZER_FILES.specialTokensMap, MAX_SIDE_BYTES)
  const read = readTokenizerFiles({ tokenizer, config, specialTokensMap })
  const key = digestOf([tokenizer, config ?? '', specialTokensMap ?? ''])
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
