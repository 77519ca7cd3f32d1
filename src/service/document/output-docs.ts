import { positionSchemes } from '../../first-layer/embeddings/positions/registry.js'

type Docs = Readonly<Record<string, readonly [shape: string, meaning: string]>>

/** The tensors of the position schemes, with the schemes that give each. */
function schemeOutputs(): Docs {
  const docs: Record<string, readonly [string, string]> = {}
  for (const { type, tensorDocs } of positionSchemes) {
    for (const [name, [shape, meaning]] of Object.entries(tensorDocs)) {
      const [, before] = docs[name] ?? []
      docs[name] = [shape, before === undefined ? `\`${type}\`: ${meaning}` : `\`${type}\`, ${before}`]
    }
  }
  return docs
}

/** Name in `outputs` → the tensor's axes, in the letters of the document's description, and a text. */
export const OUTPUT_DOCS: Docs = {
  input_embeddings: [
    '[B, T, C]',
    'What the first block takes: token rows, with the rows of an additive scheme.',
  ],
  token_embeddings: ['[B, T, C]', 'The plain rows of `wte.weight`.'],
  inputs_embeds: [
    '[B, T, C]',
    'What Hugging Face’s `inputs_embeds` takes: the rows, scaled where the embedding module scales (Gemma).',
  ],
  input_ids: ['[B, T]', 'Token ids of each window.'],
  target_ids: ['[B, T]', 'The next token of each; −100 where there is none.'],
  attention_mask: ['[B, T]', '1 for a token, 0 for padding.'],
  position_ids: ['[B, T]', '`position_offset` … + T − 1; of packed windows anew with each segment.'],
  document_ids: [
    '[B]',
    'Index of the window’s document in the request, or in its dataset; of packed windows the first one.',
  ],
  window_starts: ['[B]', 'Index of the window’s first token in its document.'],
  segment_ids: ['[B, T]', 'Datasets: 0, 1, … for each stretch of one document in its window, −1 on padding.'],
  cu_seq_lens: [
    '[S + 1]',
    'Datasets: where the S segments begin in the B·T slots, and the end; the padding of a window is one. Always int32.',
  ],
  dataset_index: ['[B]', 'Mixtures: the member of the window, from 0.'],
  ...schemeOutputs(),
}
