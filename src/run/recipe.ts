import { documentFrame } from '../corpus/document-frame.js'
import type { DocumentFrame } from '../corpus/document-writer.js'
import type { ChatSettings } from '../corpus/ingest-chats.js'
import type { TextSettings } from '../corpus/ingest-text.js'
import type { DatasetUpload } from '../corpus/upload-options.js'
import type { TokenizerCard } from '../first-layer/cards/model-card.js'
import { Tokenizers } from '../first-layer/cards/tokenizers.js'
import { idOf } from '../first-layer/datasets/recipe.js'
import { InletError } from '../first-layer/errors.js'
import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import { allowedSpecialSet } from '../first-layer/tokens/tokenize.js'
import { nameOf } from '../first-layer/tokens/tokenizer.js'

export const TARGETS = ['ids', 'bin', 'megatron', 'safetensors', 'npy'] as const
export type Target = (typeof TARGETS)[number]

/** Whether such outputs hold tensors of embeddings, else ids. */
export function holdsTensors(to: string | undefined): to is 'safetensors' | 'npy' {
  return to === 'safetensors' || to === 'npy'
}

/** The tokenizer of a run: plain data that can be posted to a thread. */
export interface RunTokenizer {
  readonly card: TokenizerCard
  /** The encoding's name; of a folder's tokenizer its model's id. */
  readonly encoding: string
  /** Undefined: the tokenizer's own end of text, if it has one. */
  readonly padTokenId?: number | undefined
}

/** How each output is made, the same in all threads: plain data. */
export interface Recipe extends Pick<DatasetUpload, 'document_start' | 'document_end' | 'allowed_special'> {
  readonly to: Target
  /** Documents of plain text: the whole file, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
  /** The member of a JSON line that has its text. */
  readonly text_column: string
  /** Element type of ids in a file without a header; undefined: by the tokenizer's number of ids. */
  readonly dtype?: 'uint16' | 'uint32' | undefined
  /** The share of documents that go to `OUT/validation` in place of OUT; undefined: none. */
  readonly validation?: number | undefined
  readonly tokenizer: RunTokenizer
  /** The options, as the query string of `POST /v1/input-embeddings`, and the SHA-256 of the model's card and tables. */
  readonly embedding?: { readonly query: string; readonly model: string } | undefined
  /** How chats become documents; undefined: the outputs have no place for a mask, and chats are refused. */
  readonly chats?: ChatSettings | undefined
}

/** Whether such outputs have a place for the masks of chats. */
export function holdsMasks(to: Target): boolean {
  return to === 'ids' || to === 'safetensors'
}

/** The folder below OUT of the documents that are held out. */
export const VALIDATION = 'validation'

/** Changes when the bytes that a recipe makes do: earlier outputs are then made again. */
const VERSION = 2

/** 26 letters of all that decides an output's bytes beside its input. */
export function runRecipeId(recipe: Recipe): string {
  const { card, encoding, padTokenId } = recipe.tokenizer
  const identity = [encoding, 'key' in card ? card.key : card.type, padTokenId]
  const { to, documents, text_column, document_start, document_end, allowed_special, dtype } = recipe
  const text = [to, documents, text_column, document_start, document_end, allowed_special, dtype]
  return idOf([VERSION, ...text, identity, recipe.embedding, recipe.validation]) // in JSON undefined is null
}

/** The same of all that decides the output of chats beside that; undefined: chats are refused. */
export function chatsRecipeId({ chats }: Recipe): string | undefined {
  if (chats === undefined) return undefined
  const { templates = null, ...card } = chats.chat ?? {}
  return idOf([chats.options, card, templates instanceof Map ? [...templates] : templates])
}

const SHORT_IDS = 65_536

/** A thread's tokenizer, and how texts become ids. */
export interface OpenTokenizer extends TextSettings, DocumentFrame {
  readonly encoding: string
  /** Ids that inputs have in place of texts must be below this. */
  readonly idLimit: number
  /** Whether `allowedSpecial` was asked for as all there are. */
  readonly allowsAll: boolean
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
    allowedSpecial: allowedSpecialSet(tokenizer, recipe.allowed_special),
    allowsAll: recipe.allowed_special === 'all',
    ...documentFrame(recipe, tokenizer),
    padTokenId: given.padTokenId ?? tokenizer.endOfText,
    shortestDtype,
    dtype: recipe.dtype ?? shortestDtype,
  }
}
