import { type Architecture, takesTokenTypes } from '../../../first-layer/embeddings/architectures/registry.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import { counted, InletError } from '../../../first-layer/errors.js'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import type { TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import type { Documents } from '../../../first-layer/windows/documents.js'
import type { IdLists } from '../../../first-layer/windows/id-lists.js'

export function* placeOfAtLeast(ids: TokenBuffer, bound: number): Steps<number> {
  let before = 0
  for (const block of ids.blocks()) {
    for (let i = 0; i < block.length; i++) if (block[i] >= bound) return before + i
    before += block.length
    yield PAUSE
  }
  return -1
}

/**
 * The documents of ids that a table has rows for, exactly as given.
 * @param bound how messages name the number of rows
 * @throws InletError `token_out_of_range` naming the id, its place and the number of rows
 */
export function* idsBelow(ids: IdLists, rows: number, bound: string, field: string): Steps<Documents> {
  const place = yield* placeOfAtLeast(ids.documents.ids, rows)
  if (place < 0) return ids.documents
  const param = `${field}.${ids.pathOf(place)}`
  const message = `\`${param}\` must be below ${bound} ${rows}. Given: ${ids.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}

/** Documents compared between two pauses. */
const STEP = 8192
/** Documents whose lengths a message shows. */
const SHOWN_LENGTHS = 8

/**
 * `token_type_ids` as documents, one type for each id of `input_ids`.
 * @throws InletError `invalid_request` where the architecture has no token types, or where the lists differ
 *   from those of `input_ids` in nesting, number or lengths; `token_out_of_range` for a type that has no row
 */
export function* tokenTypesOf(
  model: Model,
  architecture: Architecture,
  inputIds: IdLists,
  types: IdLists,
): Steps<Documents> {
  if (!takesTokenTypes(architecture)) {
    const message = `\`token_type_ids\` must not be given for \`architecture\` ${architecture.name}, which has none.`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  if (!(yield* haveOneForm(types, inputIds))) {
    const message = `\`token_type_ids\` must have the form of \`input_ids\`, ${form(inputIds)}. Given: ${form(types)}`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  const { typeVocabSize } = model.spec
  return yield* idsBelow(types, typeVocabSize, 'TYPE_VOCAB_SIZE', 'token_type_ids')
}

function* haveOneForm(a: IdLists, b: IdLists): Steps<boolean> {
  const { count } = a.documents
  if (a.isList !== b.isList || count !== b.documents.count) return false
  for (let d = 0; d < count; d++) {
    if (a.documents.length(d) !== b.documents.length(d)) return false
    if (d % STEP === STEP - 1) yield PAUSE
  }
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
