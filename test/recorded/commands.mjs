import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { excerpt } from './compare.mjs'
import { modelsFolder } from './models-folder.mjs'

const RUN_MS = 60_000
const SAMPLE = fileURLToPath(new URL('../../docs/sample.txt', import.meta.url))
const TEXT = 'Hello, world! <|endoftext|> Ünïcödé 👍\n'
const SMALL = { EMBEDDING_DIM: '8', MAX_POSITION_EMBEDDINGS: '64', VOCAB_SIZE: '50257' }

/** Arguments of `inlet`, each a run; `MODELS` stands for the folder of models. */
function runs() {
  const embed = (...flags) => ({ args: ['embed', ...flags], env: SMALL })
  return [
    { args: ['--help'] },
    { args: ['--version'] },
    { args: [] },
    { args: ['absent'] },
    { args: ['--absent'] },
    { args: ['embed', '--help'] },
    { args: ['tokenize', '--help'] },
    { args: ['models', '--help'] },
    { args: ['pull', '--help'] },
    { args: ['serve', '--help'] },
    { args: ['serve'], env: { PORT: 'abc' } },
    { args: ['serve'], env: { SEED: 'x' } },
    { args: ['serve', 'file'] },
    { args: ['pull'] },
    { args: ['pull', 'nonsense'] },
    { args: ['pull', 'a/b', '--endpoint', 'nonsense'] },
    embed(SAMPLE, '--context-length', '4', '--stride', '4', '-o', 'a.safetensors'),
    embed(SAMPLE, '--context-length', '4', '--outputs', 'input_ids', '-o', 'a.npy'),
    embed(
      SAMPLE,
      '--context-length',
      '8',
      '--dtype',
      'bfloat16',
      '-o',
      'a.bin',
      '--outputs',
      'input_embeddings',
    ),
    embed(SAMPLE, '--context-length', '8', '-o', 'a.pt', '--outputs', 'token_embeddings'),
    embed(SAMPLE, '--context-length', '8', '-o', 'a.json', '--quiet'),
    embed('-', '--quiet'),
    embed('-', '--quiet', '-f', 'json', '--encoding-format', 'base64'),
    embed('-', '--quiet', '--position-embedding', 'rope', '--position-embedding.head-dim', '8', '-f', 'json'),
    embed('-', '--quiet', '--position-embedding', '{"type":"alibi","num_heads":2}', '-f', 'json'),
    embed(
      '-',
      '--quiet',
      '--context-length',
      '2',
      '--shuffle',
      '--seed',
      '7',
      '--batch-size',
      '2',
      '--batch-index',
      '0',
      '-f',
      'safetensors',
    ),
    embed('-', '--quiet', '--architecture', 'bert'),
    embed('-', '--quiet', '--architecture', 'absent'),
    embed('-', '--quiet', '--context-length', 'x'),
    embed('-', '--quiet', '--context-length', '0'),
    embed('-', '--quiet', '--context-length', '4', '--position-offset', '1000'),
    embed('-', '--quiet', '--outputs', 'absent'),
    embed('-', '--quiet', '--dtype', 'int8'),
    embed('-', '--quiet', '--allowed-special', ''),
    embed('-', '--quiet', '--allowed-special', 'all', '--outputs', 'input_ids'),
    embed('-', '--quiet', '--tail', 'pad', '--context-length', '4', '--outputs', 'input_ids,attention_mask'),
    embed('-', '--colour', 'red'),
    embed('-', '--model'),
    embed('a', 'b'),
    embed('absent.txt'),
    embed(SAMPLE, '-o', 'absent/a.npy'),
    embed(SAMPLE, '-o', 'a.zip'),
    embed(SAMPLE, '-o', 'a.npy', '-f', 'json', '--outputs', 'input_ids'),
    {
      args: ['embed', '-', '--quiet', '--model', 'tokenizer-llama3', '--outputs', 'input_ids'],
      env: { ...SMALL, MODELS_DIR: 'MODELS' },
    },
    { args: ['embed', '-', '--quiet', '--model', 'absent'], env: SMALL },
    {
      args: ['embed', '-', '--quiet'],
      env: { ...SMALL, ENCODING: 'o200k_base', VOCAB_SIZE: '', ARCHITECTURE: 'llama' },
    },
    { args: ['dataset', 'ls', '--url', 'http://127.0.0.1:9'] },
    { args: ['dataset', 'ls', '--url', 'nonsense'] },
    { args: ['tokenize'] },
    { args: ['tokenize', SAMPLE] },
    { args: ['tokenize', SAMPLE, '--count'] },
    { args: ['tokenize', SAMPLE, '--json', '-e', 'o200k_base'] },
    { args: ['tokenize', '--encoding', 'cl100k_base', '--allowed-special', 'all'] },
    { args: ['tokenize', '--encoding', 'absent'] },
    { args: ['tokenize', '--allowed-special', ''] },
    { args: ['tokenize', '-o', 'ids.txt'] },
    { args: ['tokenize', '--json', '--count'] },
    { args: ['tokenize', 'absent.txt'] },
    { args: ['tokenize'], input: Buffer.from([0x61, 0xff]) },
    { args: ['tokenize'], input: '' },
    { args: ['embed', '-', '--quiet'], env: SMALL, input: '' },
    { args: ['embed', '-', '--quiet'], env: SMALL, input: Buffer.from([0x61, 0xff]) },
    ...['ids', 'bin', 'megatron'].map((to) => ({
      args: ['run', SAMPLE, 'out/', '--to', to, '--document-end', 'endoftext', '--documents', 'lines', '-q'],
    })),
    ...['safetensors', 'npy'].map((to) => ({
      args: ['run', SAMPLE, 'out/', '--to', to, '--context-length', '8', '-q'],
      env: SMALL,
    })),
    { args: ['run', SAMPLE, 'out/', '--to', 'absent'] },
    { args: ['run', 'absent.txt', 'out/', '--to', 'bin'] },
    { args: ['run', SAMPLE] },
    { args: ['models', 'MODELS'] },
    { args: ['models', 'MODELS', '--json'] },
    { args: ['models', 'absent'] },
    { args: ['models', 'MODELS', 'more'] },
  ]
}

/** Runs the command line of both builds: code, standard output, standard error, and the files that were written. */
export async function commandDifferences(folders) {
  const models = modelsFolder()
  const found = []
  const all = runs()
  for (const run of all) {
    const [before, after] = await Promise.all(folders.map((folder) => runOf(folder, models, run)))
    const place = `commands inlet ${run.args.join(' ')}`
    if (before.code !== after.code) {
      found.push({
        place,
        kind: `code ${before.code} → ${after.code}`,
        before: before.stderr.toString(),
        after: after.stderr.toString(),
      })
    }
    for (const stream of ['stdout', 'stderr', 'files']) {
      if (before[stream].equals(after[stream])) continue
      const at = before[stream].findIndex((byte, i) => byte !== after[stream][i])
      const start = at < 0 ? before[stream].length : at
      found.push({
        place,
        kind: stream,
        before: excerpt(before[stream], start),
        after: excerpt(after[stream], start),
      })
    }
  }
  return { found, count: all.length }
}

async function runOf(folder, models, { args, env = {}, input = TEXT }) {
  const place = mkdtempSync(join(tmpdir(), 'inlet-recorded-run-'))
  const named = (value) => (value === 'MODELS' ? models : value)
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, named(value)]))
  const child = spawn(process.execPath, [join(folder, 'dist/cli/main.js'), ...args.map(named)], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: place, ...variables },
    timeout: RUN_MS,
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const collected = { stdout: [], stderr: [] }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => collected[name].push(chunk))
  const code = await new Promise((resolve) => child.once('close', (exit, signal) => resolve(signal ?? exit)))
  const files = readdirSync(place, { recursive: true })
    .filter((name) => statSync(join(place, name)).isFile())
    .toSorted()
  const hashes = files.map(
    (name) =>
      `${name} ${createHash('sha256')
        .update(readFileSync(join(place, name)))
        .digest('hex')}`,
  )
  rmSync(place, { recursive: true, force: true })
  const clean = (parts) => Buffer.from(untimed(Buffer.concat(parts).toString('latin1'), folder), 'latin1')
  return {
    code,
    stdout: clean(collected.stdout),
    stderr: clean(collected.stderr),
    files: Buffer.from(hashes.join('\n')),
  }
}

/** Without times, speeds, progress (a quick machine tells of none) and the checkout's own path. */
function untimed(text, folder) {
  return text
    .replaceAll(SAMPLE, 'SAMPLE')
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/"seconds":[\d.]+/g, '"seconds":N')
    .replaceAll(/^sending .*\n/gm, '')
    .replaceAll(/[\d.,]+ (ms|s|tokens\/s|MB\/s|GB\/s|kB\/s|B\/s)\b/g, 'N $1')
}
