// Reads a Dockerfile: its stages, and their instructions in order.
import { readFileSync } from 'node:fs'

/**
 * @typedef {{ keyword: string, text: string, flags: Record<string, string>, line: number }} Instruction
 * @typedef {{ name: string, base: string, instructions: Instruction[] }} Stage
 */

const KEYWORDS = [
  'FROM',
  'ARG',
  'ENV',
  'WORKDIR',
  'COPY',
  'RUN',
  'USER',
  'EXPOSE',
  'HEALTHCHECK',
  'CMD',
  'LABEL',
]

/** @returns {Stage[]} */
export function readStages(path) {
  const stages = []
  for (const instruction of instructions(readFileSync(path, 'utf8'))) {
    if (instruction.keyword === 'FROM') {
      const [base, , name] = instruction.text.split(/\s+/)
      stages.push({ base, name: name ?? String(stages.length), instructions: [] })
    } else {
      stages.at(-1).instructions.push(instruction)
    }
  }
  return stages
}

function* instructions(text) {
  let joined = ''
  let line = 0
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw.startsWith('#') || (raw.trim() === '' && joined === '')) continue
    if (joined === '') line = index + 1
    joined += raw.replace(/\\$/, '')
    if (raw.endsWith('\\')) continue
    const [, keyword, rest] = /^(\w+)\s+(.*)$/.exec(joined) ?? []
    if (!KEYWORDS.includes(keyword))
      throw new Error(`Dockerfile:${line}: ${keyword ?? joined} is not known here`)
    const flags = {}
    const body = rest.replace(/^(?:--([\w-]+)=(\S+)\s+)+/, (all) => {
      for (const [, flag, value] of all.matchAll(/--([\w-]+)=(\S+)/g)) flags[flag] = value
      return ''
    })
    yield { keyword, text: body, flags, line }
    joined = ''
  }
}
