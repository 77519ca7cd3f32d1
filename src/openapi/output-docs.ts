import { positionSchemes } from '../embeddings/positions/registry.js'

type OutputDoc = readonly [axes: string, meaning: string]

/** What `outputs` can name: its axes, and what it is. Axes as in the description of the document. */
export const OUTPUT_DOCS: Readonly<Record<string, OutputDoc>> = {
  input_embeddings: [
    '[B, T, C]',
    'What the first block takes: token rows, with the rows of an additive scheme.',
  ],
  token_embeddings: ['[B, T, C]', 'The plain rows of `wte.weight`.'],
  input_ids: ['[B, T]', 'Token ids of each window.'],
  target_ids: ['[B, T]', 'The next token of each; −100 where there is none.'],
  attention_mask: ['[B, T]', '1 for a token, 0 for padding.'],
  position_ids: ['[B, T]', '`position_offset` … + T − 1.'],
  document_ids: ['[B]', 'Index of the window’s document in the request.'],
  window_starts: ['[B]', 'Index of the window’s first token in its document.'],
  ...schemeDocs(),
}

/** What the schemes say of their tensors, together where they share a name: "`t5`: bucket of each distance." */
function schemeDocs(): Record<string, OutputDoc> {
  const names = new Set(positionSchemes.flatMap(({ tensorNames }) => tensorNames))
  return Object.fromEntries(Array.from(names, (name) => [name, schemeDoc(name)]))
}

function schemeDoc(name: string): OutputDoc {
  const givers = positionSchemes.filter(({ tensorDocs }) => name in tensorDocs)
  const [axes] = givers[0].tensorDocs[name]
  const meanings = new Set(givers.map(({ tensorDocs }) => tensorDocs[name][1]))
  const sentences = Array.from(meanings, (meaning) => {
    const types = givers.filter(({ tensorDocs }) => tensorDocs[name][1] === meaning)
    return `${types.map(({ type }) => `\`${type}\``).join(', ')}: ${meaning}.`
  })
  return [axes, sentences.join(' ')]
}
