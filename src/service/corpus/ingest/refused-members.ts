import { InletError, quoted } from '../../answer/error-table.js'

/** What trainers read beside texts or ids, and datasets do not have: left out in silence, it would be missed in training. */
const REFUSED_MEMBERS: readonly string[] = [
  'labels',
  'loss_mask',
  'attention_mask',
  'messages',
  'token_type_ids',
]

/** Whether a member of a line, or a column, is refused beside the one that has the documents. */
export function isRefusedMember(name: string): boolean {
  return REFUSED_MEMBERS.includes(name)
}

export function refusedMember(name: string): InletError {
  const message = `${quoted(name)} must not be given: a dataset has ids alone, and would lose it.`
  return new InletError('invalid_request', message, name)
}
