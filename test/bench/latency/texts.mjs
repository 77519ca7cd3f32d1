import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CORPUS_NAMES, corpus } from '../tokenizers/corpora.mjs'

const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-texts-'))

/** A file of `bytes` of text of all kinds. */
export function mixedText(bytes) {
  const part = Buffer.from(CORPUS_NAMES.map(corpus).join('\n'))
  const whole = Buffer.alloc(bytes, part)
  // No character is cut at the end.
  let end = bytes
  while ((whole[end - 1] & 0xc0) === 0x80) end--
  if (whole[end - 1] >= 0xc0) end--
  return file('mixed.txt', whole.subarray(0, end))
}

/** A file of `bytes` of random letters: one word without an end. */
export function randomLetters(bytes) {
  const whole = Buffer.alloc(bytes)
  for (let i = 0; i < bytes; i++) whole[i] = 0x61 + Math.floor(Math.random() * 26)
  return file('letters.txt', whole)
}

export function file(name, content) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
