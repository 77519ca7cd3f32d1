import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PATTERNS } from '../../build/src/first-layer/tokens/training/cutting.js'
import { findPython, peer } from './harness/python.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAIN = join(ROOT, 'dist/cli/main.js')
const LIBRARIES = ['tokenizers', 'rustbpe', 'gigatoken']
const THREADS = [1, 2]
const FILES = 4

/** Text to a vocabulary, beside other trainers; each a whole process, by the clock. BENCH_MB: megabytes of text. */
export async function bench({ rounds, quick, say }) {
  const size = SMOKE ? 1 : Number(process.env.BENCH_MB ?? (quick ? 10 : 100))
  const folder = mkdtempSync(join(tmpdir(), 'inlet-train-bench-'))
  try {
    const files = mixed(folder, size * 1e6)
    const pythons = Object.fromEntries(LIBRARIES.map((name) => [name, findPython(name)]))
    const present = LIBRARIES.filter((name) => !pythons[name].absent)
    const notes = LIBRARIES.filter((name) => pythons[name].absent).map(
      (name) => `${name} is absent: ${pythons[name].absent}.`,
    )
    for (const note of notes) say(note)
    const rows = []
    for (const vocabulary of SMOKE ? [1000] : [32_000, 65_536]) {
      const memory = {}
      const merges = {}
      const own = (threads) => async () => {
        const out = join(folder, 'out')
        const flags = ['--vocab-size', vocabulary, '--documents', 'lines', '--threads', threads]
        const run = await timed(process.execPath, [
          MAIN,
          'train-tokenizer',
          ...files,
          ...flags,
          '-q',
          '-o',
          out,
        ])
        memory[`Inlet, ${threads}`] = run.memory
        const { model } = JSON.parse(readFileSync(join(out, 'tokenizer.json'), 'utf8'))
        merges.Inlet = sha256(model.merges.map((pair) => `${pair.join(' ')}\n`).join(''))
        rmSync(out, { recursive: true })
        return run.seconds
      }
      const rival = (name) => async () => {
        const args = [peer('train_tokenizer.py'), name, vocabulary, PATTERNS.gpt4, ...files]
        const run = await timed(pythons[name].path, args)
        memory[name] = run.memory
        if (name === 'tokenizers') merges.tokenizers = run.said.trim()
        return run.seconds
      }
      const contenders = [
        ...THREADS.map((threads) => [`Inlet, ${threads}`, own(threads)]),
        ...present.map((name) => [name, rival(name)]),
      ]
      const seconds = await takeTurns(Math.min(rounds, 3), Object.fromEntries(contenders))
      if (merges.tokenizers && merges.tokenizers !== merges.Inlet)
        throw new Error(`${vocabulary} tokens: Inlet's merges are not those of tokenizers`)
      const fast = seconds[`Inlet, ${THREADS.at(-1)}`]
      const cell = (name) => {
        if (!seconds[name]) return '–'
        const beside = LIBRARIES.includes(name) ? `, ${times(ratio(seconds[name], fast))}` : ''
        return `${figure(median(seconds[name]))}${beside}; ${figure(memory[name] / 1e6)} MB`
      }
      const names = [...THREADS.map((threads) => `Inlet, ${threads}`), ...LIBRARIES]
      rows.push([`${size} MB`, vocabulary.toLocaleString('en-US'), ...names.map(cell)])
      say(rows.at(-1).join(' | '))
    }
    return {
      title: 'Text to a vocabulary beside other trainers, seconds',
      notes: [
        `Lines of this project's documents and of its tests' texts with random words among them, in ${FILES} files, a document each line; GPT-4's pattern. A whole process each, by the clock, with its peak of memory; the libraries, called from Python, use all cores. A ratio is their time to Inlet's with two threads. Merges were compared with those of tokenizers first; rustbpe and gigatoken have laws of their own, gigatoken a pattern of its own.`,
        ...notes,
      ],
      head: [
        'text',
        'tokens',
        ...THREADS.map((threads) => `Inlet, ${threads} ${threads === 1 ? 'thread' : 'threads'}`),
        ...LIBRARIES.map((name) => [name, pythons[name].versions?.[name]].filter(Boolean).join(' ')),
      ],
      rows,
      floors: [],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex')

/** Runs a process to its end. */
async function timed(command, args) {
  const started = performance.now()
  const child = spawn(command, args.map(String), { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.error += chunk
  })
  let memory = 0
  const watch = setInterval(() => {
    memory = Math.max(memory, peakOf(child.pid))
  }, 50)
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  const seconds = (performance.now() - started) / 1000
  clearInterval(watch)
  if (code !== 0) throw new Error(`${args[1]}: ${said.error}`)
  return { seconds, memory, said: said.out }
}

/** The most memory that a process has had so far, in bytes; Linux alone tells. */
function peakOf(pid) {
  try {
    const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [0, 0]
    return 1024 * kilobytes
  } catch {
    return 0 // it has ended
  }
}

/** Writes mixed text, the same each time, in several files; returns their paths. */
function mixed(folder, size) {
  const lines = [...linesBelow('docs', '.md'), ...linesBelow('test/goldens', '.json')]
  let state = 12_345
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const syllables = [...'bdfgklmnprstvz', 'ch', 'st'].flatMap((consonant) =>
    [...'aeiou', 'ai'].map((vowel) => consonant + vowel),
  )
  const word = () =>
    Array.from(
      { length: 2 - Math.floor(Math.log(random()) * 1.5) },
      () => syllables[Math.floor(random() * random() * syllables.length)],
    ).join('')
  return Array.from({ length: FILES }, (_, index) => {
    const path = join(folder, `${index}.txt`)
    const file = openSync(path, 'w')
    for (let written = 0; written < size / FILES; ) {
      let text = ''
      while (text.length < 1e5) {
        const line = lines[Math.floor(random() * lines.length)]
        text += `${line.replace(/[a-zA-Z]{4,}/g, (known) => (random() > 0.15 ? known : word()))}\n`
      }
      written += writeSync(file, text)
    }
    closeSync(file)
    return path
  })
}

/** Lines of the files in a folder; of JSON, those of its strings: shorter ones are names, longer ones numbers. */
function linesBelow(folder, ending) {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(ending))
  const texts = names.sort().map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
  const strings = (text) => {
    const found = []
    JSON.parse(text, (_, value) => {
      if (typeof value === 'string' && value.length > 20) found.push(value)
      return value
    })
    return found
  }
  const lines = (ending === '.json' ? texts.flatMap(strings) : texts).flatMap((text) => text.split(/[\r\n]+/))
  return lines.filter((line) => line.trim() !== '' && line.length < 2000 && line.isWellFormed())
}
