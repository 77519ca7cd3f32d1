import { InletError } from '../errors.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { torchFileBytes } from '../first-layer/tensors/torch/torch-file.js'
import { streamOptions } from '../first-layer/tokens/allowed-special.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { Claim } from '../load/claim.js'
import type { SoftPrompt } from '../models/soft-prompt.js'
import { base64Length } from '../wire/base64.js'
import type { Chat } from '../wire/completions/chat.js'
import { type Prompt, promptSplices } from '../wire/completions/completion.js'
import { type Place, removal, type Splice, withSplice } from '../wire/completions/splice.js'
import { SplicedBody } from '../wire/completions/spliced-body.js'
import { checkPositions, checkPromptLengths, checkPromptTarget } from './prompt-rows.js'
import { promptText } from './prompt-text.js'
import { checkSoftPrompt } from './soft-prompt-rows.js'
import { documentsOf } from './token-documents.js'

/** A body for a model server, and the tokens whose rows it has. */
export interface RowsBody {
  readonly body: SplicedBody
  readonly numTokens: number
}

/** A soft prompt that a body names, and where the name stands. */
export interface NamedRows {
  readonly prompt: SoftPrompt
  readonly at: Place
}

/**
 * A completion's body with `prompt_embeds` in place of its `prompt`: the rows of the whole prompt.
 *
 * @param soft its rows stand before those of each text
 * @throws InletError `unsupported_combination`, `token_out_of_range`, `tokenizer_unavailable`, `context_too_long`
 */
export async function completionWithRows(
  model: Model,
  bytes: Buffer,
  prompt: Prompt,
  addSpecialTokens: boolean,
  claim: Claim,
  soft?: NamedRows,
): Promise<RowsBody> {
  if (soft !== undefined) checkSoftPrompt(model.spec, 'vllm', 'soft_prompt')
  const documents = await completionDocuments(model, prompt, addSpecialTokens, claim, soft?.prompt.rows)
  const splices = withoutName(bytes, promptSplices(prompt, documents.count), soft)
  return spliced(model, bytes, documents, splices, claim, () => soft?.prompt)
}

/**
 * The texts of a completion as ids.
 *
 * @param before rows of a soft prompt before each
 * @throws InletError as {@link completionWithRows}
 */
export async function completionDocuments(
  model: Model,
  prompt: Prompt,
  addSpecialTokens: boolean,
  claim: Claim,
  before = 0,
): Promise<Documents> {
  checkPromptTarget(model.spec, 'vllm')
  const how = streamOptions(model.spec.tokenizer, { add_special_tokens: addSpecialTokens })
  const fields = { texts: 'prompt', ids: 'prompt' }
  const documents = await documentsOf(model, prompt.input, how, claim, { fields })
  checkPromptLengths(documents, 'prompt')
  for (let d = 0; d < documents.count; d++) {
    const numTokens = before + documents.length(d)
    checkPositions(model.spec, numTokens, documents.count === 1 ? 'prompt' : `prompt.${d}`)
  }
  return documents
}

/**
 * A chat's body with parts of type `prompt_embeds` in place of the texts in its messages: their own tokens alone, since
 * the template and its special tokens are the model server's.
 *
 * @param soft its rows stand before those of the first text
 * @throws InletError as {@link completionWithRows}
 */
export async function chatWithRows(
  model: Model,
  bytes: Buffer,
  { texts }: Chat,
  claim: Claim,
  soft?: NamedRows,
): Promise<RowsBody> {
  checkPromptTarget(model.spec, 'vllm')
  if (soft !== undefined) checkSoftPrompt(model.spec, 'vllm', 'prompt')
  const how = streamOptions(model.spec.tokenizer, { add_special_tokens: false })
  const fields = { texts: 'messages', ids: 'messages' }
  const documents = await documentsOf(model, texts, how, claim, { fields })
  checkPositions(model.spec, documents.totalTokens + (soft?.prompt.rows ?? 0), 'messages')
  const has = (d: number) => documents.length(d) > 0
  const first = soft === undefined ? -1 : firstWithRows(documents)
  const splices = withoutName(bytes, { [Symbol.iterator]: () => texts.splices(has) }, soft)
  return spliced(model, bytes, documents, splices, claim, (d) => (d === first ? soft?.prompt : undefined))
}

/** @throws InletError `empty_input` where no text of a chat has tokens: a soft prompt's rows would stand nowhere */
function firstWithRows(documents: Documents): number {
  for (let d = 0; d < documents.count; d++) if (documents.length(d) > 0) return d
  throw new InletError('empty_input', '`messages` must have a text beside `prompt`. Given: none', 'messages')
}

/** The changes, and that which takes the soft prompt's name out: the model server does not know it. */
function withoutName(bytes: Buffer, splices: Iterable<Splice>, soft?: NamedRows): Iterable<Splice> {
  if (soft === undefined) return splices
  const out = removal(bytes, soft.at)
  return { [Symbol.iterator]: () => withSplice(splices, out) }
}

async function spliced(
  model: Model,
  bytes: Buffer,
  documents: Documents,
  splices: Iterable<Splice>,
  claim: Claim,
  softBefore: (d: number) => SoftPrompt | undefined,
): Promise<RowsBody> {
  const { dtype, embeddingDim } = model.spec
  const known = new Map<number, number>()
  const rows = {
    text: (d: number, before: string) => promptText(model, documents, d, before, softBefore(d)),
    textBytes(d: number) {
      const T = documents.length(d) + (softBefore(d)?.rows ?? 0)
      const textBytes = known.get(T) ?? base64Length(torchFileBytes({ dtype, shape: [T, embeddingDim] })) + 2
      known.set(T, textBytes)
      return textBytes
    },
  }
  let numTokens = documents.totalTokens
  for (let d = 0; d < documents.count; d++) numTokens += softBefore(d)?.rows ?? 0
  return { body: await SplicedBody.of(bytes, splices, rows, claim), numTokens }
}
