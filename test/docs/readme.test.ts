import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelsFolder } from '../checkpoints/folders.js'
import { tokenizerFile } from '../first-layer/tokens/byte-pair/files.js'
import { listen, type TestService, testService } from '../helper.js'
import { tableFile } from '../table-files.js'
import { blocksOf, printed, whyNoNumpy } from './python-page.js'

const PATH = new URL('../../README.md', import.meta.url)

describe('README.md', () => {
  const readme = readFileSync(PATH, 'utf8')

  it('is 9 KB or fewer', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9 * 1024)
  })
})

/** A small LLaMA in the place of the page's model. */
const GPT2 = {
  'config.json': {
    ...{ model_type: 'llama', vocab_size: 50257, hidden_size: 2, num_attention_heads: 1 },
    ...{ max_position_embeddings: 1024, dtype: 'float32' },
  },
  'model.safetensors': tableFile({
    'model.embed_tokens.weight': { shape: [50257, 2], numbers: Array(100514).fill(0.5) },
  }),
  'tokenizer.json': tokenizerFile('roberta'),
}

/** One service for all pages: what one uploads, no other one names. */
describe('a page', () => {
  let folder: ModelsFolder
  let service: TestService
  let port: number
  beforeAll(async () => {
    folder = await ModelsFolder.make()
    await folder.write('gpt2', GPT2)
    const tiny = ['inlet.json', 'tokenizer.json'].map((name) => [
      name,
      readFileSync(`models/tiny/${name}`, 'utf8'),
    ])
    await folder.write('tiny', Object.fromEntries(tiny))
    const folders = await folder.entries()
    service = await testService({ EMBEDDING_DIM: '256' }, { folders, hasDatasets: true })
    port = await listen(service)
  })
  afterAll(async () => {
    await service.close()
    await folder.remove()
  })

  it.for(['README.md', 'docs/study.md', 'docs/train.md', 'docs/serve.md', 'AGENTS.md', 'llms.txt'])(
    '%s shows calls that are answered as it says, one after the other',
    async (name, context) => {
      if (spawnSync('curl', ['--version']).status !== 0) context.skip('there is no curl')
      const blocks = blocksOf(fileURLToPath(new URL(`../../${name}`, import.meta.url)))
      const calls = blocks.filter(({ language, code }) => language === 'sh' && !/^(npm|pip) /.test(code))
      const here = (code: string) =>
        code
          .replaceAll('localhost:8000', `127.0.0.1:${port}`)
          .replaceAll('curl -s', 'curl -sS --fail-with-body')
      for (const { code, shown = '' } of calls) {
        const script = here(code).replace('-o batch.npy', '-o /dev/null')
        const run = promisify(execFile)('sh', ['-ec', script], { maxBuffer: 2 ** 26 })
        const { stdout } = await run.catch((error) => {
          throw new Error(`${error.message}${error.stdout}`)
        })
        for (const part of shown.split(/…|\n/)) expect(stdout).toContain(part.trim())
      }
      const ofClient = blocks.filter(({ code }) => code.includes('with Inlet'))
      if (ofClient.length > 0 && whyNoNumpy() === undefined) await printed(ofClient, here)
    },
  )
})
