import { InletError } from '../errors.js'
import { type Architecture, takesTokenTypes } from '../first-layer/embeddings/architectures/architecture.js'
import type { Model } from '../first-layer/embeddings/model.js'
import type { Documents } from '../first-layer/windows/documents.js'
import { type Claim, UNBOUNDED } from '../load/claim.js'
import { Pace } from '../turn.js'
import type { IdLists } from '../wire/id-lists.js'
import { placeOfAtLeast } from './large-ids.js'

/** Documents compared between two looks at the clock. */
const STEP = 8192
/** Documents whose lengths a message shows. */
const SHOWN_LENGTHS = 8

interface Given {
  readonly input_ids?: IdLists
  readonly token_type_ids?: IdLists
}

/**
 * `token_type_ids` as documents, one type for each id of `input_ids`; undefined where the request has none.
 *
 * @throws InletError `invalid_request` where the architecture has no token types, or where the lists differ from
 * those of `input_ids` in nesting, number or lengths; `token_out_of_range` for a type that has no row
 */
export async function tokenTypesOf(
  model: Model,
  architecture: Architecture,
  given: Given,
  claim: Claim = UNBOUNDED,
): Promise<Documents | undefined> {
  const { input_ids: inputIds, token_type_ids: types } = given
  if (inputIds === undefined || types === undefined) return undefined
  if (!takesTokenTypes(architecture)) {
    const message = `\`token_type_ids\` must not be given for \`architecture\` ${architecture.name}, which has none.`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  if (!(await haveOneForm(types, inputIds, claim))) {
    const message = `\`token_type_ids\` must have the form of \`input_ids\`, ${form(inputIds)}. Given: ${form(types)}`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  const { typeVocabSize } = model.spec
  const place = await placeOfAtLeast(types.documents.ids, typeVocabSize, claim)
  if (place < 0) return types.documents
  const param = `token_type_ids.${types.pathOf(place)}`
  const message = `\`${param}\` must be below TYPE_VOCAB_SIZE ${typeVocabSize}. Given: ${types.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}

async function haveOneForm(a: IdLists, b: IdLists, claim: Claim): Promise<boolean> {
  const { count } = a.documents
  if (a.isNested !== b.isNested || count !== b.documents.count) return false
  const pace = new Pace(claim)
  for (let d = 0; d < count; d++) {
    if (a.documents.length(d) !== b.documents.length(d)) return false
    if (d % STEP === STEP - 1 && pace.isOver) await pace.nextTurn()
  }
  return true
}

/** The lists in words: `[1, 2, 3]` → "3 ids"; `[[1], [2, 3]]` → "2 documents of 1, 2 ids". */
function form({ documents, isNested }: IdLists): string {
  if (!isNested) return `${documents.totalTokens} ids`
  const lengths: number[] = []
  for (let d = 0; d < Math.min(documents.count, SHOWN_LENGTHS); d++) lengths.push(documents.length(d))
  const more = documents.count > SHOWN_LENGTHS ? ', …' : ''
  return `${documents.count} documents of ${lengths.join(', ')}${more} ids`
}
