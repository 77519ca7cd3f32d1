// Compares chats rendered here with those of transformers, on all templates (*.jinja) of some folders.
//
// npm run build && PYTHON=… node packages/chat-template/test/proofs/templates.mjs FOLDER… [--random N] [--seed S] [--show N]
// Ends with 1 where a text differs.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chatSteps, readValues, run } from 'inlet-chat-template'

const args = process.argv.slice(2)
const show = Number(args.includes('--show') ? args.splice(args.indexOf('--show'), 2)[1] : 5)
const cases = fileURLToPath(new URL('cases.py', import.meta.url))
const python = spawn(process.env.PYTHON ?? 'python3', [cases, ...args], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const tokens = { bos_token: '<s>', eos_token: '</s>', pad_token: '<pad>', unk_token: '<unk>' }
const counts = { equal: 0, bothRefuse: 0, onlyWeRefuse: 0, onlyPythonRefuses: 0, different: 0 }
const reasons = new Map()
let shown = 0

for await (const line of createInterface({ input: python.stdout })) {
  const { name, template, chat, text, error } = JSON.parse(line)
  const ours = rendered(template, chat)
  let kind
  if (ours.text === undefined) kind = text === undefined ? 'bothRefuse' : 'onlyWeRefuse'
  else if (text === undefined) kind = 'onlyPythonRefuses'
  else kind = text === ours.text ? 'equal' : 'different'
  counts[kind]++
  if (kind === 'onlyWeRefuse') reasons.set(ours.error, (reasons.get(ours.error) ?? new Set()).add(name))
  if ((kind === 'different' || kind === 'onlyPythonRefuses') && shown++ < show)
    console.log(
      JSON.stringify({ kind, name, chat, text: text?.slice(0, 4000), error, ours: ours.text.slice(0, 4000) }),
    )
}
for (const [reason, names] of reasons)
  console.log(`refused: ${reason} (${[...names].slice(0, 4).join(', ')})`)
console.log(JSON.stringify(counts))
process.exitCode = counts.different > 0 ? 1 : 0

function rendered(template, chat) {
  try {
    const body = run(readValues(chat, 'messages'))
    const files = { templates: template, tokens, unknownTokens: [] }
    const given = {
      messages: body.get('messages'),
      tools: body.get('tools'),
      documents: body.get('documents'),
      chat_template_kwargs: body.get('chat_template_kwargs'),
      add_generation_prompt: body.get('add_generation_prompt'),
      continue_final_message: body.get('continue_final_message'),
    }
    return { text: run(chatSteps(files, given, 1 << 24)).text }
  } catch (error) {
    if (error.name !== 'ChatError') throw error
    return { error: error.message }
  }
}
