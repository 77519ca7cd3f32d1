import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder with js-tiktoken's ranks in the form that Python's tiktoken reads, a token and its rank a line. The
 * files equal OpenAI's to the byte, which tiktoken checks by their hash.
 */
export async function rankFiles(...names) {
  const folder = join(tmpdir(), 'inlet-bench-ranks')
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    const path = join(folder, `${name}.tiktoken`)
    if (existsSync(path)) continue
    const { default: file } = await import(`js-tiktoken/ranks/${name}`)
    const lines = file.bpe_ranks.split('\n').flatMap((line) => {
      const [, first, ...tokens] = line.split(' ')
      return tokens.map((token, i) => `${token} ${Number(first) + i}\n`)
    })
    writeFileSync(path, lines.join(''))
  }
  return folder
}
