import type { ChatFiles } from './chat-files.js'
import { ChatError, head } from './errors.js'

/**
 * The template of a chat, as `get_chat_template` chooses it.
 *
 * @param given a template, or a name
 * @param hasTools whether there are tools, be it none
 * @throws ChatError `template_unavailable`
 */
export function chosenTemplate(
  { templates }: ChatFiles,
  given: string | undefined,
  hasTools: boolean,
): string {
  if (templates === undefined || typeof templates === 'string') {
    const only = given ?? templates
    if (only !== undefined) return only
    throw unavailable(
      'has no chat template: its folder has neither chat_template.jinja nor one in tokenizer_config.json',
    )
  }
  if (given !== undefined) return templates.get(given) ?? given
  const chosen = (hasTools ? templates.get('tool_use') : undefined) ?? templates.get('default')
  if (chosen !== undefined) return chosen
  const names = [...templates.keys()].map((name) => JSON.stringify(head(name))).join(', ')
  throw unavailable(`has several chat templates and no default: \`chat_template\` must be one of ${names}`)
}

function unavailable(reason: string): ChatError {
  return new ChatError('template_unavailable', `The model ${reason}.`, 'messages')
}
