import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atLeast } from './harness/floors.mjs'
import { installRivals } from './harness/npm-rivals.mjs'
import { findPython } from './harness/python.mjs'
import { rankFiles } from './harness/rank-files.mjs'
import { median, ratio } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { hasChunks } from './tokenizers/chunks.mjs'
import { CORPUS_NAMES, TEXTS_NOTE } from './tokenizers/corpora.mjs'
import { encoderVersions, FROM_NPM } from './tokenizers/encoders.mjs'

const ENCODINGS = ['gpt2', 'cl100k_base', 'o200k_base']
const PYTHON = 'Python’s tiktoken'
const ALL_CHUNKS = 1000
/** A round takes js-tiktoken several seconds. */
const MAX_ROUNDS = 3
const run = promisify(execFile)

/** A script's JSON, from a separate process. */
async function inNewProcess(script, ...args) {
  const path = fileURLToPath(new URL(`./tokenizers/${script}`, import.meta.url))
  return JSON.parse((await run(process.execPath, [path, ...args.map(String)])).stdout)
}

/** Text to ids, on chunks of 4,096 characters that no contender has seen before. */
export async function bench({ rounds, quick, say }) {
  if (TEXTS_NOTE) say(TEXTS_NOTE)
  const absent = CORPUS_NAMES.filter((corpus) => !hasChunks(corpus))
  const absentNote = absent.length > 0 ? `Not measured, for want of text: ${absent.join(', ')}.` : ''
  if (absentNote) say(absentNote)
  const npmNames = Object.keys(FROM_NPM)
  const refusal = installRivals(...npmNames)
  if (refusal) say(refusal)
  const present = refusal ? [] : npmNames
  const python = findPython('tiktoken')
  if (python.absent) say(`${PYTHON} is absent: ${python.absent}`)
  const folder = await rankFiles('r50k_base', 'cl100k_base', 'o200k_base')

  const rows = []
  const floors = []
  for (const encoding of SMOKE ? ENCODINGS.slice(0, 1) : ENCODINGS) {
    for (const corpus of CORPUS_NAMES.filter((name) => !absent.includes(name))) {
      const results = []
      const besidePython = []
      for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) {
        results.push(
          await inNewProcess('round.mjs', encoding, corpus, SMOKE ? 5 : quick ? 60 : 200, present.join(',')),
        )
        if (python.absent) continue
        besidePython.push(
          await inNewProcess('beside-python.mjs', encoding, corpus, ALL_CHUNKS, python.path, folder),
        )
      }
      const mismatches = [...results, ...besidePython].reduce((sum, result) => sum + result.mismatches, 0)
      if (mismatches > 0) say(`${encoding}, ${corpus}: ${mismatches} chunks with other ids`)
      const { row, kept } = judge(encoding, corpus, results, besidePython, present)
      say(row.join(' | '))
      rows.push(row)
      floors.push(...kept)
    }
  }
  const versions = encoderVersions(present)
  if (python.path) versions.push(`${PYTHON} ${python.versions.tiktoken}`)
  return {
    title: 'Text to ids, on text not seen before',
    notes: [
      `One process, the same 4,096 characters to each encoder in turn, by the clock. ${versions.join(', ')}.`,
      `Alone, and beside ${PYTHON}: each in its own process, such chunks one after the other; processor time.`,
      'ai-tokenizer has no gpt2 and runs p50k_base there.',
      TEXTS_NOTE,
      absentNote,
    ],
    head: [
      'encoding',
      'text',
      'MB/s',
      'js-tiktoken',
      'tiktoken (WASM)',
      'fastest of npm',
      PYTHON,
      'MB/s alone',
    ],
    rows,
    floors,
  }
}

const RIVALS = ['js-tiktoken', 'tiktoken (WASM)']

function judge(encoding, corpus, results, besidePython, npmNames) {
  const seconds = (name) => results.map((result) => result.seconds[name])
  const faster = (name) => ratio(seconds(name), seconds('Inlet'))
  const speed = median(results.map(({ bytes, seconds: { Inlet } }) => bytes / Inlet / 1e6))
  const ofNpm = npmNames.map((name) => ({ name, ratio: faster(name) }))
  const [fastest] = ofNpm.sort((a, b) => a.ratio.middle - b.ratio.middle)
  const python =
    besidePython.length > 0
      ? ratio(
          besidePython.map((result) => result.python),
          besidePython.map(({ own }) => own),
        )
      : undefined
  const alone = median(besidePython.map(({ bytes, own }) => bytes / own / 1e6))
  const [js, wasm] = RIVALS.map(faster)

  const what = (rival) => `${encoding}, ${corpus}, beside ${rival}`
  const isGpt2 = encoding === 'gpt2'
  const isMany = corpus === 'many languages'
  const kept = [
    atLeast(what(RIVALS[0]), js.middle, isGpt2 ? 25 : 15),
    atLeast(what(RIVALS[1]), wasm.middle, isGpt2 ? (isMany ? 4 : 8) : 5),
  ]
  if (fastest) kept.push(atLeast(what(fastest.name), fastest.ratio.middle, isGpt2 ? (isMany ? 3 : 4) : 2.5))
  if (python && isGpt2) kept.push(atLeast(what(PYTHON), python.middle, 2.5))
  const npmCell = fastest ? `${times(fastest.ratio)} ${fastest.name}` : '–'
  return {
    row: [encoding, corpus, figure(speed), times(js), times(wasm), npmCell, times(python), figure(alone)],
    kept,
  }
}
