import { spawn } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { inFolder } from '../cli/run-command.js'
import { startServer } from '../service/server-process.js'
import { blocksOf } from './python-page.js'

const PAGE = 'docs/chats.md'

/** Runs lines of the page in a folder, as its readers do. @returns what they print */
async function shell(lines: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const main = `node ${join(process.cwd(), 'dist/cli/main.js')}`
  const script = `set -e\n${lines.replaceAll('npx inlet', main)}`
  const bash = spawn('bash', ['-c', script], { cwd, env: { ...process.env, ...env } })
  const [out, errors] = await Promise.all([text(bash.stdout), text(bash.stderr)])
  return { out, errors }
}

test('ten minutes: a tokenizer, a template, an upload, and what a step sees is what the page shows', async () => {
  const blocks = blocksOf(PAGE)
  const [make] = blocks.filter(({ code }) => code.includes('inlet train-tokenizer'))
  const [show] = blocks.filter(({ code }) => code.includes('inlet dataset push'))
  const [serve, ...pushed] = show!.code.split('\n')
  expect(serve).toBe('npx inlet serve &')
  await inFolder(async (folder) => {
    for (const name of ['docs', 'examples']) await mkdir(join(folder, name))
    for (const path of ['docs/sample.txt', 'examples/chats.jsonl']) await cp(path, join(folder, path))
    const made = await shell(make!.code, folder)
    expect(made.out, made.errors).toMatch(/^examples\/chats\.jsonl: fit to train on\n/)
    const server = startServer({ MODELS_DIR: join(folder, 'models'), EMBEDDING_DIM: '8' })
    try {
      await server.ready()
      const INLET_URL = `http://127.0.0.1:${await server.port()}`
      const { out, errors } = await shell(pushed.join('\n'), folder, { INLET_URL })
      expect(errors).toBe('Epoch 0, batch 1:\n')
      // UPDATE_DOCS=1 writes it instead of comparing it.
      if (process.env.UPDATE_DOCS) {
        const page = await readFile(PAGE, 'utf8')
        await writeFile(
          PAGE,
          page.replace(/row {2}document[^`]*/, () => `${out.trimEnd()}\n`),
        )
      } else expect(show!.shown!.trimEnd()).toBe(out.trimEnd())
    } finally {
      server.kill()
    }
  })
})
