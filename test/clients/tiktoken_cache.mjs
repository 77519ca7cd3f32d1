// tiktoken_cache.mjs FOLDER ENCODING…
//
// Writes ranks of js-tiktoken, which is in node_modules, into a folder as tiktoken caches them (TIKTOKEN_CACHE_DIR), for
// machines that do not reach its download host. tiktoken checks the SHA-256 of what it reads there.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, ...encodings] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
for (const encoding of encodings) {
  const { default: ranks } = await import(`js-tiktoken/ranks/${encoding}`)
  // Each line is `! first token token …`: the ranks count on from the first.
  const lines = ranks.bpe_ranks.split('\n').flatMap((line) => {
    const [, first, ...tokens] = line.split(' ')
    return tokens.map((token, i) => `${token} ${Number(first) + i}\n`)
  })
  const url = `https://openaipublic.blob.core.windows.net/encodings/${encoding}.tiktoken`
  writeFileSync(join(folder, createHash('sha1').update(url).digest('hex')), lines.join(''))
}
