import { type Architecture, takesTokenTypes } from '../../../first-layer/embeddings/architectures/registry.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import { counted, InletError } from '../../../first-layer/errors.js'
import type { TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import type { Documents } from '../../../first-layer/windows/documents.js'
import type { IdLists } from '../../../first-layer/windows/id-lists.js'
import type { Claim } from '../../process/claim.js'
import { turn } from '../../process/turn.js'

/** The place of the first id that is not below `bound`; −1: there is none. */
export async function placeOfAtLeast(ids: TokenBuffer, bound: number, claim: Claim): Promise<number> {
  let before = 0
  for (const block of ids.blocks()) {
    for (let i = 0; i < block.length; i++) if (block[i] >= bound) return before + i
    before += block.length
    await turn(claim)
  }
  return -1
}

/**
 * The documents of ids that a table has rows for, exactly as given.
 * @param bound how messages name the number of rows
 * @throws InletError `token_out_of_range` naming the id, its place and the number of rows
 */
export async function idsBelow(
  ids: IdLists,
  rows: number,
  bound: string,
  field: string,
  claim: Claim,
): Promise<Documents> {
  const place = await placeOfAtLeast(ids.documents.ids, rows, claim)
  if (place < 0) return ids.documents
  const param = `${field}.${ids.pathOf(place)}`
  const message = `\`${param}\` must be below ${bound} ${rows}. Given: ${ids.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}

/** Documents whose lengths a message shows. */
const SHOWN_LENGTHS = 8

/**
 * `token_type_ids` as documents, one type for each id of `input_ids`.
 * @throws InletError `invalid_request` where the architecture has no token types, or where the lists differ
 *   from those of `input_ids` in nesting, number or lengths; `token_out_of_range` for a type that has no row
 */
export function tokenTypesOf(
  model: Model,
  architecture: Architecture,
  inputIds: IdLists,
  types: IdLists,
  claim: Claim,
): Promise<Documents> {
  if (!takesTokenTypes(architecture)) {
    const message = `\`token_type_ids\` must not be given for \`architecture\` ${architecture.name}, which has none.`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  if (!haveOneForm(types, inputIds)) {
    const message = `\`token_type_ids\` must have the form of \`input_ids\`, ${form(inputIds)}. Given: ${form(types)}`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  const { typeVocabSize } = model.spec
  return idsBelow(types, typeVocabSize, 'TYPE_VOCAB_SIZE', 'token_type_ids', claim)
}

function haveOneForm(a: IdLists, b: IdLists): boolean {
  const { count } = a.documents
  if (a.isList !== b.isList || count !== b.documents.count) return false
  for (let d = 0; d < count; d++) if (a.documents.length(d) !== b.documents.length(d)) return false
  return true
}

/** The lists in words: `[1, 2, 3]` → "3 ids"; `[[1], [2, 3]]` → "2 documents of 1, 2 ids". */
function form({ documents, isList }: IdLists): string {
  if (!isList) return counted(documents.totalTokens, 'id')
  const lengths: number[] = []
  for (let d = 0; d < Math.min(documents.count, SHOWN_LENGTHS); d++) lengths.push(documents.length(d))
  const more = documents.count > SHOWN_LENGTHS ? ', …' : ''
  return `${counted(documents.count, 'document')} of ${lengths.join(', ')}${more} ids`
}
