import type { Model } from '../first-layer/embeddings/model.js'
import { torchFileBytes } from '../first-layer/tensors/torch/torch-file.js'
import { streamOptions } from '../first-layer/tokens/allowed-special.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { Claim } from '../load/claim.js'
import { base64Length } from '../wire/base64.js'
import type { Chat } from '../wire/completions/chat.js'
import { type Prompt, promptSplices } from '../wire/completions/completion.js'
import type { Splice } from '../wire/completions/splice.js'
import { SplicedBody } from '../wire/completions/spliced-body.js'
import { checkPositions, checkPromptLengths, checkPromptTarget } from './prompt-rows.js'
import { promptText } from './prompt-text.js'
import { documentsOf } from './token-documents.js'

/** A body for a model server, and the tokens whose rows it has. */
export interface RowsBody {
  readonly body: SplicedBody
  readonly numTokens: number
}

/**
 * A completion's body with `prompt_embeds` in place of its `prompt`: the rows of the whole prompt.
 *
 * @throws InletError `unsupported_combination`, `token_out_of_range`, `tokenizer_unavailable`, `context_too_long`
 */
export async function completionWithRows(
  model: Model,
  bytes: Buffer,
  prompt: Prompt,
  addSpecialTokens: boolean,
  claim: Claim,
): Promise<RowsBody> {
  checkPromptTarget(model.spec, 'vllm')
  const how = streamOptions(model.spec.tokenizer, { add_special_tokens: addSpecialTokens })
  const fields = { texts: 'prompt', ids: 'prompt' }
  const documents = await documentsOf(model, prompt.input, how, claim, { fields })
  checkPromptLengths(documents, 'prompt')
  for (let d = 0; d < documents.count; d++) {
    checkPositions(model.spec, documents.length(d), documents.count === 1 ? 'prompt' : `prompt.${d}`)
  }
  return spliced(model, bytes, documents, promptSplices(prompt, documents.count), claim)
}

/**
 * A chat's body with parts of type `prompt_embeds` in place of the texts in its messages: their own tokens alone, since
 * the template and its special tokens are the model server's.
 *
 * @throws InletError as {@link completionWithRows}
 */
export async function chatWithRows(
  model: Model,
  bytes: Buffer,
  { texts }: Chat,
  claim: Claim,
): Promise<RowsBody> {
  checkPromptTarget(model.spec, 'vllm')
  const how = streamOptions(model.spec.tokenizer, { add_special_tokens: false })
  const fields = { texts: 'messages', ids: 'messages' }
  const documents = await documentsOf(model, texts, how, claim, { fields })
  checkPositions(model.spec, documents.totalTokens, 'messages')
  const has = (d: number) => documents.length(d) > 0
  const splices = { [Symbol.iterator]: () => texts.splices(has) }
  return spliced(model, bytes, documents, splices, claim)
}

async function spliced(
  model: Model,
  bytes: Buffer,
  documents: Documents,
  splices: Iterable<Splice>,
  claim: Claim,
): Promise<RowsBody> {
  const { dtype, embeddingDim } = model.spec
  const known = new Map<number, number>()
  const rows = {
    text: (d: number, before: string) => promptText(model, documents, d, before),
    textBytes(d: number) {
      const T = documents.length(d)
      const textBytes = known.get(T) ?? base64Length(torchFileBytes({ dtype, shape: [T, embeddingDim] })) + 2
      known.set(T, textBytes)
      return textBytes
    },
  }
  return { body: await SplicedBody.of(bytes, splices, rows, claim), numTokens: documents.totalTokens }
}
