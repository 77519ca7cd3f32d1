import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atLeast } from './harness/floors.mjs'
import { processorSecondsOf } from './harness/processor-time.mjs'
import { findPython, startPython } from './harness/python.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { corpus } from './tokenizers/corpora.mjs'

const MODEL = 'chat'
const CHATS = SMOKE ? 3 : 1000
const TURNS = 6
const WORDS = 60
/** ChatML with transformers' tags, after which no token of a turn's end is left out: both laws train the same. */
const TEMPLATE = `{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' }}
{%- if m.role == 'assistant' %}{% generation %}{{- m.content + '<|im_end|>' }}{% endgeneration %}{{- '\\n' }}
{%- else %}{{- m.content + '<|im_end|>\\n' }}{% endif %}{% endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}`

/** A file of chats to ids and masks on disk, in chats a second of processor time. */
export async function bench({ rounds, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-chats-'))
  const [model, template, file] = [MODEL, 'template.jinja', 'chats.jsonl'].map((name) => join(folder, name))
  writeFileSync(template, TEMPLATE)
  const script = fileURLToPath(new URL('../clients/render/make_model.mjs', import.meta.url))
  execFileSync(process.execPath, [script, model, template])
  const servers = []
  try {
    const own = await startService({
      env: { THREADS: '1', MODELS_DIR: folder, DATA_DIR: join(folder, 'data') },
    })
    servers.push(own)
    const trained = {}
    const uploaded = (mask) => async () => {
      const before = processorSecondsOf(own.child.pid)
      const made = await call(`${own.url}/v1/datasets?model=${MODEL}&mask=${mask}`, readFileSync(file))
      await call(`${own.url}/v1/datasets/${made.id}`, undefined, 'DELETE')
      trained[mask] = made.chats.num_target_tokens
      return CHATS / (processorSecondsOf(own.child.pid) - before)
    }
    const contenders = { sampled: uploaded('sampled'), tags: uploaded('tags') }
    const python = findPython('transformers', 'tokenizers', 'jinja2')
    if (!python.absent) {
      const peer = await startPython(python.path, 'chat_masks.py', [model], {
        TOKENIZERS_PARALLELISM: 'false',
      })
      servers.push(peer)
      contenders.transformers = async () => {
        const { seconds, trained: count } = await peer.ask(file)
        trained.transformers = count
        return CHATS / seconds
      }
    }
    writeFileSync(file, Array.from({ length: CHATS }, drawnChat).join(''))
    await takeTurns(1, contenders) // the compiler has seen all of them then
    const figures = await takeTurns(rounds, contenders)
    if (new Set(Object.values(trained)).size > 1) throw new Error(`Other tokens: ${JSON.stringify(trained)}`)
    const cells = Object.entries(figures).map(([name, speeds]) => [
      name,
      figure(median(speeds)),
      figures.transformers ? times(ratio(speeds, figures.transformers)) : '–',
    ])
    for (const cell of cells) say(cell.join(' | '))
    return {
      title: 'Chats to ids and loss masks, chats a second and core',
      notes: [
        `${CHATS} chats of ${TURNS} messages and about 500 tokens, processor time. Inlet: one upload, to the files on disk. transformers ${python.versions?.transformers ?? 'is absent'}: \`apply_chat_template\` with \`return_assistant_tokens_mask\`, as trl’s SFTTrainer calls it for each row. The same tokens are trained.`,
      ],
      head: ['', 'chats/s', 'beside transformers'],
      rows: cells,
      floors: figures.transformers
        ? [
            atLeast(
              'chats under `sampled`, beside transformers',
              ratio(figures.sampled, figures.transformers).middle,
              2,
            ),
          ]
        : [],
    }
  } finally {
    for (const { stop } of servers) await stop()
    rmSync(folder, { recursive: true })
  }
}

const words = corpus('prose').split(/\s+/)

function drawnChat() {
  const content = () =>
    Array.from({ length: WORDS }, () => words[Math.floor(Math.random() * words.length)]).join(' ')
  const messages = Array.from({ length: TURNS }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: content(),
  }))
  return `${JSON.stringify({ messages })}\n`
}

async function call(url, body, method = 'POST') {
  const headers = body && { 'content-type': 'application/x-ndjson' }
  const answer = await fetch(url, { method, headers, body })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.status === 204 ? undefined : answer.json()
}
