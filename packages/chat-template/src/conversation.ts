import { ChatError, failed, invalid, unsupported } from './errors.js'
import { type Dict, isDict, isList, typeName, type Value } from './jinja/values.js'
import { rstrip, strip } from './jinja/white-space.js'

// The changes that transformers makes to messages before a template sees them, and to the text afterwards: version 5.23,
// `apply_chat_template` and `render_jinja_template`.

/** Names under which a message's reasoning comes. */
const REASONING = ['reasoning_content', 'thinking', 'reasoning']
const TAG = 'CONTINUE_FINAL_MESSAGE_TAG '

/**
 * The messages as a template sees them: without values that are null, reasoning under all names that templates read.
 *
 * @throws ChatError `invalid_request`, `empty_input`; `template_unsupported` for parts that are no text
 */
export function checkedMessages(messages: Value): Map<string, Value>[] {
  const all = objects('messages', messages)
  if (all.length === 0)
    throw new ChatError('empty_input', '`messages` must not be empty. Given: an empty array', 'messages')
  return all.map((message, i) => {
    checkParts(message.get('content'), `messages.${i}.content`)
    const kept = [...message].filter((entry): entry is [string, Value] => entry[1] !== null)
    const given = new Map(kept)
    const reasoning = REASONING.map((name) => given.get(name)).find((value) => value !== undefined)
    if (reasoning === undefined) return given
    return new Map([['thinking', reasoning], ...kept, ['reasoning_content', reasoning]])
  })
}

function checkParts(content: Value | undefined, path: string): void {
  if (content === undefined || !isList(content)) return
  content.forEach((part, i) => {
    if (!isDict(part)) return
    const type = part.get('type')
    if (type === 'text' && typeof part.get('text') === 'string') return
    const given = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : 'no type'
    const message = `\`${path}.${i}\` must be of type \`text\`: a chat of other parts is not rendered here. Given: ${given}`
    throw new ChatError('template_unsupported', message, `${path}.${i}.type`)
  })
}

/** A list of objects, or null: `tools`, `documents`. @throws ChatError `invalid_request` */
export function checkedObjects(field: string, value: Value = null): Value {
  return value === null ? null : objects(field, value)
}

function objects(field: string, list: Value): readonly Dict[] {
  if (!isList(list)) throw invalid(field, `must be an array of objects. Given: a ${typeName(list)}`)
  for (const [i, value] of list.entries())
    if (!isDict(value)) throw invalid(`${field}.${i}`, `must be an object. Given: a ${typeName(value)}`)
  return list as readonly Dict[]
}

/**
 * Marks the end of the last message, which is to be continued.
 *
 * @param field of the message that is continued
 * @returns the message's text
 * @throws ChatError `template_failed` where there is no text to continue, or the template does not name the field
 */
export function markFinal(messages: Map<string, Value>[], field: string, template: string): string {
  const last = messages.at(-1)!
  const final = last.get(field)
  if (final === undefined)
    throw failed(`continue_final_message is set but the final message has no "${field}" to continue`)
  const fields = REASONING.includes(field) ? REASONING.filter((name) => last.get(name) === final) : [field]
  if (!fields.some((name) => template.includes(name)))
    throw failed(`continue_final_message is set to "${field}" but the template does not use it`)
  if (typeof final === 'string') {
    for (const name of fields) last.set(name, final + TAG)
    return final
  }
  if (!isList(final)) throw unsupported('`continue_final_message` of a message that is no text')
  const at = final.findLastIndex((part) => isDict(part) && part.has('text'))
  const part = final[at] as Dict | undefined
  const text = part?.get('text')
  if (typeof text !== 'string') throw failed('continue_final_message is set but there is no text to continue')
  last.set(field, final.with(at, new Map(part).set('text', text + TAG)))
  return text
}

/** The text up to the end of the last message. @throws ChatError `template_failed` where that is not in the text */
export function cutAtFinal(chat: string, final: string): string {
  const at = chat.lastIndexOf(TAG.trimEnd())
  if (at < 0 || !chat.includes(strip(final)))
    throw failed('the final message does not appear in the chat that is to be continued')
  return chat.startsWith(TAG, at) ? chat.slice(0, at) : rstrip(chat.slice(0, at))
}
