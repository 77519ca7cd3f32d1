import { InletError } from '../errors.js'
import { type Architecture, takesTokenTypes } from '../first-layer/embeddings/architectures/architecture.js'
import type { Model } from '../first-layer/embeddings/model.js'
import type { Documents } from '../first-layer/windows/documents.js'
import { type Claim, UNBOUNDED } from '../load/claim.js'
import { Pace } from '../turn.js'
import type { GivenIds } from '../wire/given.js'
import { idsBelow } from './ids-below.js'

/** Documents compared between two looks at the clock. */
const STEP = 8192
/** Documents whose lengths a message shows. */
const SHOWN_LENGTHS = 8

/**
 * `token_type_ids` as documents, one type for each id of `input_ids`.
 *
 * @throws InletError `invalid_request` where the architecture has no token types, or where the lists differ from
 * those of `input_ids` in nesting, number or lengths; `token_out_of_range` for a type that has no row
 */
export async function tokenTypesOf(
  model: Model,
  architecture: Architecture,
  inputIds: GivenIds,
  types: GivenIds,
  claim: Claim = UNBOUNDED,
): Promise<Documents> {
  if (!takesTokenTypes(architecture)) {
    const message = `\`token_type_ids\` must not be given for \`architecture\` ${architecture.name}, which has none.`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  if (!(await haveOneForm(types, inputIds, claim))) {
    const message = `\`token_type_ids\` must have the form of \`input_ids\`, ${form(inputIds)}. Given: ${form(types)}`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  const { typeVocabSize } = model.spec
  return idsBelow(types, typeVocabSize, 'TYPE_VOCAB_SIZE', 'token_type_ids', claim)
}

async function haveOneForm(a: GivenIds, b: GivenIds, claim: Claim): Promise<boolean> {
  const { count } = a.documents
  if (a.isList !== b.isList || count !== b.documents.count) return false
  const pace = new Pace(claim)
  for (let d = 0; d < count; d++) {
    if (a.documents.length(d) !== b.documents.length(d)) return false
    if (d % STEP === STEP - 1 && pace.isOver) await pace.nextTurn()
  }
  return true
}

/** The lists in words: `[1, 2, 3]` → "3 ids"; `[[1], [2, 3]]` → "2 documents of 1, 2 ids". */
function form({ documents, isList }: GivenIds): string {
  if (!isList) return `${documents.totalTokens} ids`
  const lengths: number[] = []
  for (let d = 0; d < Math.min(documents.count, SHOWN_LENGTHS); d++) lengths.push(documents.length(d))
  const more = documents.count > SHOWN_LENGTHS ? ', …' : ''
  return `${documents.count} documents of ${lengths.join(', ')}${more} ids`
}
