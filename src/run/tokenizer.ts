import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import { allowedSpecialSet } from '../first-layer/tokens/tokenize.js'
import { nameOf } from '../first-layer/tokens/tokenizer.js'
import { InletError } from '../service/answer/error-table.js'
import type { TextSettings } from '../service/corpus/ingest/ingest-text.js'
import { documentEndOf } from '../service/corpus/upload-fields.js'
import { Tokenizers } from '../service/models/library/tokenizers.js'
import type { Recipe } from './recipe.js'

const SHORT_IDS = 65_536

/** A thread's tokenizer, and how texts become ids. */
export interface OpenTokenizer extends TextSettings {
  readonly encoding: string
  /** Ids that inputs have in place of texts must be below this. */
  readonly idLimit: number
  /** Whether `allowedSpecial` was asked for as all there are. */
  readonly allowsAll: boolean
  readonly documentEnd: number | undefined
  readonly padTokenId: number | undefined
  /** The type of ids in files: 16 bits if every id fits. */
  readonly shortestDtype: 'uint16' | 'uint32'
  /** The same, or what was asked for. */
  readonly dtype: 'uint16' | 'uint32'
}

/**
 * Opens the recipe's tokenizer in this thread.
 *
 * @throws InletError `invalid_request`, `token_out_of_range` for fields of the recipe that do not fit the tokenizer;
 * `tokenizer_unavailable`
 */
export async function openTokenizer({ tokenizer: given, ...recipe }: Recipe): Promise<OpenTokenizer> {
  const tokenizer = await new Tokenizers(new RustLibrary()).of({ tokenizer: given.card })
  if (tokenizer.unavailable !== undefined)
    throw new InletError(
      'tokenizer_unavailable',
      `${given.encoding} has no tokenizer: ${tokenizer.unavailable}`,
    )
  const shortestDtype = tokenizer.vocabSize <= SHORT_IDS ? 'uint16' : 'uint32'
  if (recipe.dtype === 'uint16' && shortestDtype === 'uint32') {
    const rule = `uint32 for ${nameOf(tokenizer)}, which has ${tokenizer.vocabSize} ids`
    throw new InletError('invalid_request', `\`dtype\` must be ${rule}. Given: uint16`, 'dtype')
  }
  return {
    tokenizer,
    encoding: given.encoding,
    idLimit: tokenizer.vocabSize,
    allowedSpecial: allowedSpecialSet(tokenizer, recipe.allowedSpecial),
    allowsAll: recipe.allowedSpecial === 'all',
    documentEnd: documentEndOf(recipe.documentEnd, tokenizer),
    padTokenId: given.padTokenId === undefined ? tokenizer.endOfText : (given.padTokenId ?? undefined),
    shortestDtype,
    dtype: recipe.dtype ?? shortestDtype,
  }
}
