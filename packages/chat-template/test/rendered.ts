import { ChatError, chatSteps, isDict, readValues, run, type Value } from '../src/index.js'
export const TOKENS = { bos_token: '<s>', eos_token: '</s>', pad_token: '<pad>', unk_token: '<unk>' }

/** The text of a chat, given as JSON, or the code and message of the refusal. */
export function rendered(
  templates: string,
  json: string,
  unknownTokens: readonly string[] = [],
): { text?: string; code?: string; message?: string } {
  const body = run(readValues(json, 'messages'))
  if (body === undefined || !isDict(body)) throw new Error('no object of JSON')
  const kwargs = body.get('chat_template_kwargs')
  const chat = {
    messages: body.get('messages') as Value,
    tools: body.get('tools'),
    documents: body.get('documents'),
    chat_template_kwargs: kwargs !== undefined && isDict(kwargs) ? kwargs : undefined,
    add_generation_prompt: body.get('add_generation_prompt') as boolean | undefined,
    continue_final_message: body.get('continue_final_message') as boolean | undefined,
  }
  try {
    return { text: run(chatSteps({ templates, tokens: TOKENS, unknownTokens }, chat, 1 << 20)).text }
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    return { code: error.code, message: error.message }
  }
}
