import { type Inlet, type Model, Refused } from '../../../../clients/typescript/src/index.js'

/** For a model without a template: GPT-2's end of text ends a turn. */
const PLAIN =
  "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if m.role == 'assistant' %}<|endoftext|>{% endif %}{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"

/** Messages of lines such as `user: Hello`; a line without a role goes on with the message before. */
export function messagesOf(text: string): { role: string; content: string }[] {
  const messages: { role: string; content: string }[] = []
  for (const line of text.split('\n')) {
    const [, role, content] = /^(system|user|assistant): ?(.*)$/.exec(line) ?? []
    const last = messages.at(-1)
    if (role !== undefined) messages.push({ role, content })
    else if (last !== undefined) last.content += `\n${line}`
  }
  return messages
}

/** The chat's tokens, and which of them the model itself would have sampled. @returns a sentence where it is refused */
export async function loadChat(client: Inlet, text: string, model: Model) {
  /** The model has no template of its own: a folder brings its tokenizer, and a template. */
  const isPlain = model.encoding !== null
  const chat = { messages: messagesOf(text), model: model.id, add_generation_prompt: false } as const
  try {
    const template = isPlain ? { chat_template: PLAIN } : {}
    const answer = await client.tokenize({ ...chat, ...template, mask: 'sampled' })
    const ids = Array.from(answer.get('input_ids')!.data as Int32Array, (id) => [id])
    const { documents = [] } = await client.detokenize({ input_ids: ids, model: model.id })
    return {
      isPlain,
      texts: documents.map((document) => document.text),
      /** 1 for each token that is trained. */
      mask: answer.get('loss_mask')!.data as Int32Array,
    }
  } catch (reason) {
    if (reason instanceof Refused) return reason.message
    throw reason
  }
}
