import { expect, test } from 'vitest'
import { tensorList } from '../../../src/features/prompt-embeds/tensor-list.js'
import { jsonAnswer } from '../../../src/first-layer/formats/json.js'

test.each(['torch', 'numbers'] as const)(
  'a prompt’s rows are asked for when they are next, of many prompts too: %s',
  async (as) => {
    const made: number[] = []
    const tensor = (d: number) => {
      made.push(d)
      const blocks = () => [new Uint8Array(16)]
      return { name: 'prompt_embeds', dtype: 'float32', shape: [1, 4], blocks } as const
    }
    const documents = { count: 20_000, totalTokens: 20_000 }
    const { body } = jsonAnswer(tensorList(documents, as, { dtype: 'float32', each: [4] }, tensor))
    const blocks: Uint8Array[] = []
    for await (const block of body) {
      if (blocks.length === 0) expect(made.length).toBeLessThan(10_000)
      blocks.push(Buffer.from(block)) // a copy: the block is used again
    }
    expect(JSON.parse(Buffer.concat(blocks).toString())).toHaveLength(20_000)
  },
)
